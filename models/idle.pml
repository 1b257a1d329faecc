/* The doorbell. A kernel that finds nothing leaves by itself; the keeper sees that, says that it is_idle, looks at the ring
 * again and sleeps; a producer writes its message, looks whether the keeper is_idle, and wakes it. The keeper launches the
 * kernel again when there is something.
 * src/ring/kernel_control.cpp, service_thread.cpp.
 *
 * Checked: every message is handled once; a message never waits while all sleep.
 *
 * BROKEN_LOOK: the keeper does not look again after it has said that it is_idle.
 * BROKEN_ORDER: the producer looks whether the keeper is_idle before it writes.
 * BROKEN_TWO: the keeper launches without knowing that the kernel has left.
 */
#define MESSAGES 2

bool written[MESSAGES + 1];
byte tail, head, handled[MESSAGES], running, producers_ended;
bool is_idle, bell, has_left = true;

proctype kernel() {
  running++;
  assert(running == 1);
  do
  :: head < MESSAGES && written[head] -> handled[head]++; head++
  :: !(head < MESSAGES && written[head]) -> break
  od;
  running--;
  has_left = true
}

proctype producer() {
  byte at;
  bool sees;
#ifdef BROKEN_ORDER
  sees = is_idle;
#endif
  atomic { at = tail; tail++ };
  written[at] = true;
#ifndef BROKEN_ORDER
  sees = is_idle;
#endif
  if
  :: sees -> bell = true
  :: else
  fi;
  producers_ended++
}

proctype keeper() {
  do
  :: head == MESSAGES && has_left -> break
  :: else ->
#ifndef BROKEN_TWO
     has_left;
#endif
     is_idle = true;
#ifndef BROKEN_LOOK
     if
     :: written[head] -> skip
     :: !written[head] ->
        (bell || head == MESSAGES)
     fi;
#else
     (bell || head == MESSAGES);
#endif
     bell = false;
     is_idle = false;
     if
     :: head < MESSAGES && written[head] -> has_left = false; run kernel()
     :: else
     fi
  od
}

init {
  byte i;
  atomic {
    run keeper();
    for (i : 0 .. MESSAGES - 1) { run producer() }
  }
  producers_ended == MESSAGES && _nr_pr == 1;
  for (i : 0 .. MESSAGES - 1) {
    assert(handled[i] == 1)
  }
}
