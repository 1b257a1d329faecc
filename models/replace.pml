/* Another handler for a living actor. The host tells the kernel to leave; it does so between two messages, with its head
 * published; then a kernel of the other text begins at that head, while a producer goes on sending into the ring.
 * src/ring/handler_replacer.cpp.
 *
 * Checked: every message is handled once, in order, by one handler; never do two kernels run at once; nobody waits for
 * ever.
 *
 * BROKEN_EARLY: the new kernel is started when the order was given, not when the old one has left.
 * BROKEN_HEAD: the new kernel begins at the head that the host saw when it gave the order.
 * BROKEN_MIDDLE: the old kernel obeys in the middle of a message.
 */
#define MESSAGES 4
#define SLOTS 2

byte tail, head;
bool written[MESSAGES + 1];
byte handled[MESSAGES];
byte running;                /* kernels */
bool leave, has_left, stop;
byte first;                  /* where the new kernel begins */

proctype producer() {
  byte i;
  for (i : 0 .. MESSAGES - 1) {
    (tail - head < SLOTS);
    atomic { written[tail] = true; tail++ }
  }
}

proctype kernel(bool is_new) {
  byte own = 0;
  if
  :: is_new -> own = first
  :: else
  fi;
  running++;
  assert(running == 1);
  do
  :: !is_new && leave -> break
  :: is_new && stop && own == MESSAGES -> break
  :: own < MESSAGES && written[own] && !(leave && !is_new) ->
     handled[own]++;
#ifdef BROKEN_MIDDLE
     if
     :: !is_new && leave -> break
     :: else
     fi;
#endif
     own++;
     head = own
  od;
  running--;
  if
  :: !is_new -> has_left = true
  :: else -> has_left = true
  fi
}

init {
  byte i;
  atomic { run kernel(false); run producer() }
#ifdef BROKEN_HEAD
  first = head;
#endif
  leave = true;
#ifndef BROKEN_EARLY
  has_left;
#endif
#ifndef BROKEN_HEAD
  first = head;
#endif
  has_left = false;
  run kernel(true);
  (tail == MESSAGES && head == MESSAGES);
  stop = true;
  has_left && _nr_pr == 1;
  for (i : 0 .. MESSAGES - 1) {
    assert(handled[i] == 1)
  }
}
