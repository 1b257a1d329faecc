/* The ring between host and device: several producers, slots with sequence numbers, a copy of the head that is looked
 * at again only when the ring seems full, one consumer that publishes its head now and then.
 * src/ring/inbox.cpp is the producers' side, src/ring/text/4_thread.cuh the consumer's.
 *
 * Checked: nothing is lost, nothing comes twice, each producer's messages come in order, nobody waits for ever.
 * Variants that must fail: BROKEN_ORDER writes the sequence before the payload; BROKEN_HEAD publishes the head before
 * the payload was read; BROKEN_WRAP lets sequences come back after one lap.
 */
#define SLOTS 2
#define PRODUCERS 2
#define EACH 3
#define TOTAL (PRODUCERS * EACH)
#ifdef BROKEN_WRAP
#define LAP SLOTS
#else
#define LAP (2 * SLOTS)
#endif
#define SEQUENCE(position) (1 + (position) % LAP)

byte sequence[SLOTS];  /* 0: never written */
byte who[SLOTS], number[SLOTS];
byte tail, seen_head, head;
byte handled[PRODUCERS];
byte ended;

proctype producer(byte id) {
  byte at, now, sent;
  do
  :: sent == EACH -> break
  :: else ->
     at = tail;
     if
     :: at + 1 < seen_head || at + 1 - seen_head > SLOTS ->  /* seems full, or `at` is old */
        now = head;
        if
        :: at != tail -> goto again
        :: else ->
           if
           :: at + 1 - now > SLOTS ->
              head != now;  /* waits, as WhenFull::block does */
              goto again
           :: else -> seen_head = now
           fi
        fi
     :: else
     fi;
     atomic {
       if
       :: tail == at -> tail = at + 1
       :: else -> goto again  /* another producer took it */
       fi
     };
#ifdef BROKEN_ORDER
     sequence[at % SLOTS] = SEQUENCE(at);
#endif
     who[at % SLOTS] = id;
     number[at % SLOTS] = sent;
#ifndef BROKEN_ORDER
     sequence[at % SLOTS] = SEQUENCE(at);
#endif
     sent++;
again: skip
  od;
  ended++
}

proctype consumer() {
  byte at, from, what;
  do
  :: at < TOTAL && sequence[at % SLOTS] == SEQUENCE(at) ->
#ifdef BROKEN_HEAD
     head = at + 1;
#endif
     from = who[at % SLOTS];
     what = number[at % SLOTS];
     assert(what == handled[from]);  /* in order, none twice, none left out */
     handled[from]++;
     at++;
     if
     :: head = at
     :: skip  /* several are published at once */
     fi
  :: at < TOTAL && sequence[at % SLOTS] != SEQUENCE(at) && head != at -> head = at  /* before it looks for more */
  :: at == TOTAL -> break
  od;
  head = at;
  ended++
}

init {
  byte i;
  atomic {
    run consumer();
    for (i : 0 .. PRODUCERS - 1) { run producer(i) }
  }
  ended == PRODUCERS + 1;
  for (i : 0 .. PRODUCERS - 1) { assert(handled[i] == EACH) }
  assert(head == tail)
}
