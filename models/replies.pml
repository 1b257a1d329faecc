/* Replies: a call takes a slot, whose number and generation are its ticket. The device writes the reply into the slot,
 * word by word, each with the ticket as its tag. The slot is free again when the reply was taken, or was let go of and
 * has come. Two actors, of which one may be late, share the slots. src/ring/replies.cpp.
 *
 * Checked: every call that waits gets its own reply, no slot is lost, nobody waits for ever.
 * Variants that must fail: BROKEN_FREE frees a slot when its reply is let go of; BROKEN_TAG looks at the tag of the
 * first word alone, which is written first.
 */
#define SLOTS 1
#define CALLERS 2
#define EACH 2
#define TICKETS 8
#define SLOT(ticket) ((ticket) % SLOTS)

chan ring0 = [2] of { byte, byte };  /* ticket, question */
chan ring1 = [2] of { byte, byte };
byte generation[SLOTS];
bool is_free[SLOTS];
byte abandoned[SLOTS];             /* 0: not */
byte tag0[SLOTS], tag1[SLOTS], value[SLOTS];
byte ended;

inline free_abandoned(slot) {
  atomic {
    if
    :: abandoned[slot] != 0 && tag0[slot] == abandoned[slot] && tag1[slot] == abandoned[slot] ->
       abandoned[slot] = 0;
       is_free[slot] = true
    :: else
    fi
  }
}

proctype caller(byte id) {
  byte sent, ticket, question, slot;
  do
  :: sent == EACH -> break
  :: else ->
     slot = 0;
     atomic {
       is_free[slot] || (abandoned[slot] != 0 && tag0[slot] == abandoned[slot] && tag1[slot] == abandoned[slot]);
       free_abandoned(slot);
       is_free[slot] = false;
       generation[slot]++;
       ticket = generation[slot] * SLOTS + slot
     };
     question = id * EACH + sent;
     if
     :: ring0 ! ticket, question
     :: ring1 ! ticket, question
     fi;
     if
     ::
#ifdef BROKEN_TAG
        tag0[slot] == ticket;
#else
        tag0[slot] == ticket && tag1[slot] == ticket;
#endif
        assert(value[slot] == question);
        is_free[slot] = true
     ::  /* lets go of it */
#ifdef BROKEN_FREE
        is_free[slot] = true
#else
        abandoned[slot] = ticket
#endif
     fi;
     sent++
  od;
  ended++
}

proctype actor(chan ring) {
  byte ticket, question, slot;
  do
  :: ring ? ticket, question ->
     slot = SLOT(ticket);
#ifdef BROKEN_TAG
     tag0[slot] = ticket;
#endif
     atomic { value[slot] = question; tag1[slot] = ticket };  /* one word */
#ifndef BROKEN_TAG
     tag0[slot] = ticket
#endif
  :: ended == CALLERS && empty(ring) -> break
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. SLOTS - 1) { is_free[i] = true }
    run actor(ring0);
    run actor(ring1);
    for (i : 0 .. CALLERS - 1) { run caller(i) }
  }
  _nr_pr == 1;
  for (i : 0 .. SLOTS - 1) {
    free_abandoned(i);
    assert(is_free[i])
  }
}
