/* The end of an actor that others send to: it closes its peer ring and answers, and the host tells of what nobody will
 * handle. A sender takes a place by comparing and swapping the tail, whose highest bit says that the ring is closed.
 * src/ring/text/2_context.cuh (send) and 3_orders.cuh (close_to_peers), src/ring/peers.cpp the host.
 *
 * Checked: a message whose send said yes is handled or told as dead, once; one whose send said no is neither.
 * Variants that must fail: BROKEN_FLAG has a word of its own for being closed, which a sender looks at before it takes
 * a place; BROKEN_LATE answers before it closes; BROKEN_HASTE does not wait for who has taken a place.
 */
#define SLOTS 2
#define SENDERS 2
#define EACH 2
#define CLOSED 128

byte tail, head, closed;
byte sequence[SLOTS];  /* 0: never written */
byte message[SLOTS];
byte handled[SENDERS * EACH], dead[SENDERS * EACH], sent[SENDERS * EACH];
bool is_ended, is_over;
byte gone;

proctype sender(byte id) {
  byte at, k;
  for (k : 0 .. EACH - 1) {
    at = tail;
    do
    :: (at & CLOSED) != 0 || closed || at - head >= SLOTS -> break  /* no */
    :: else ->
       atomic {
         if
         :: tail == at -> tail = at + 1; sent[id * EACH + k] = 1
         :: else -> at = tail
         fi
       }
       if
       :: sent[id * EACH + k] ->
          message[at % SLOTS] = id * EACH + k;
          sequence[at % SLOTS] = at + 1;
          break
       :: else
       fi
    od
  }
  gone++
}

proctype actor() {
  do
  :: sequence[head % SLOTS] == head + 1 ->
     handled[message[head % SLOTS]]++;
     head++
  :: sequence[head % SLOTS] != head + 1 -> break  /* it was told to stop, and finds nothing */
  od;
#ifdef BROKEN_LATE
  is_ended = true;
#endif
#ifdef BROKEN_FLAG
  closed = 1;
#else
  tail = tail | CLOSED;
#endif
  is_ended = true
}

proctype host() {
  byte at, last;
  is_ended;
  at = head;
  last = tail & (CLOSED - 1);
  do
  :: at == last -> break
  :: else ->
#ifndef BROKEN_HASTE
     sequence[at % SLOTS] == at + 1;
     dead[message[at % SLOTS]]++;
#else
     if
     :: sequence[at % SLOTS] == at + 1 -> dead[message[at % SLOTS]]++
     :: else
     fi;
#endif
     at++
  od;
  is_over = true
}

init {
  byte i;
  atomic {
    run actor();
    run host();
    for (i : 0 .. SENDERS - 1) { run sender(i) }
  }
  is_over && gone == SENDERS;
  for (i : 0 .. SENDERS * EACH - 1) {
    assert(handled[i] + dead[i] == sent[i])
  }
}
