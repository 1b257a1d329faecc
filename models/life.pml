/* The end of an actor of a grid while others still send to it, and its return after a fault.
 * The blocks handle each message together, between two barriers; the first block looks for it and obeys the host. The
 * host closes the actor, drains it, stops it, closes the ring and buries what is left. A handler may fault once: the
 * kernel ends, and is started again behind the message that was under way, which is a dead letter.
 * src/ring/lifecycle.cpp, service_thread.cpp and src/ring/text/6_grid.cuh.
 *
 * Checked: every message that was taken is handled once or is a dead letter once, a refused one neither; all blocks
 * leave in the same round; nobody waits for ever.
 * Variants that must fail: BROKEN_CLOSE does not close the ring before it looks for what is left; BROKEN_LEAVE lets a
 * block leave as soon as it sees the order; BROKEN_LATE looks at the decision again behind the second barrier, where it
 * may be that of the next round; BROKEN_UNDER_WAY keeps whether a message is under way apart from which one.
 */
#define SLOTS 2
#define PRODUCERS 2
#define MESSAGES PRODUCERS
#define CLOSED 99
#define BLOCKS 2

mtype = { order_run, order_drain, order_stop, says_nothing, says_drained, says_stopped };
mtype = { do_nothing, do_handle, do_leave };

/* the ring, as models/ring.pml has shown it to work: a slot is written in one step */
byte tail, head;             /* head: as the device published it */
bool written[4];             /* by position */
byte message[4];
bool is_open = true;
bool was_taken[MESSAGES];
byte handled[MESSAGES], dead[MESSAGES];
byte producers_ended;

/* the device */
byte own_head;
byte under_way;              /* position + 1 of the message under way; 0: none */
mtype order = order_run, answer = says_nothing;
byte epoch, answered_epoch, obeyed_epoch;  /* of the last order, answer, and the order that the device has seen */
mtype obeyed = order_run;
mtype what;
bool has_crashed, may_crash = true;
bit phase;                   /* of the barrier: turns when all have come */
byte arrived, left, left_in_round[BLOCKS];
bool is_over;                /* the host knows that it was stopped */

proctype producer(byte id) {
  byte at;
  if
  :: !is_open -> goto refused
  :: else
  fi;
  do
  :: atomic { tail == CLOSED -> goto refused }
  :: atomic { tail != CLOSED && tail - head < SLOTS -> at = tail; tail++; was_taken[id] = true }; break
  od;
  atomic { message[at] = id; written[at] = true };
refused:
  producers_ended++
}

/* Both wait here for each other, or for the end of the kernel. */
inline barrier() {
  atomic {
    my_phase = phase;
    arrived++;
    if
    :: arrived == BLOCKS -> arrived = 0; phase = 1 - phase
    :: else
    fi
  };
  atomic {
    (phase != my_phase || has_crashed);
    if
    :: has_crashed -> goto crashed
    :: else
    fi
  }
}

inline look_for_work() {
  if
  :: obeyed == order_stop -> what = do_leave
  :: else ->
     if
     :: written[own_head] -> what = do_handle
     :: !written[own_head] && epoch == obeyed_epoch -> what = do_nothing
     :: !written[own_head] && epoch != obeyed_epoch ->
        atomic {
          obeyed = order;
          obeyed_epoch = epoch;
          answered_epoch = epoch;
          if
          :: order == order_drain -> answer = says_drained; what = do_nothing
          :: order == order_stop -> answer = says_stopped; what = do_leave
          :: else -> what = do_nothing
          fi
        }
     fi
  fi
}

proctype block(byte id) {
  bit my_phase;
  mtype mine;
  byte now, round;
  do
  ::
    if
    :: id == 0 -> look_for_work()
    :: else
    fi;
#ifdef BROKEN_LEAVE
    if
    :: id != 0 && obeyed == order_stop -> break
    :: else
    fi;
#endif
    barrier();
    mine = what;
    if
    :: id == 0 && mine == do_handle ->
       under_way = own_head + 1;
       now = message[own_head];
       if
       :: may_crash -> may_crash = false; has_crashed = true; goto crashed
       :: handled[now]++
       fi;
       own_head++;
#ifdef BROKEN_UNDER_WAY
       if
       :: may_crash -> may_crash = false; has_crashed = true; goto crashed
       :: skip
       fi;
#endif
       under_way = 0;
       head = own_head
    :: else
    fi;
    barrier();
    round = (round + 1) % 2;
#ifdef BROKEN_LATE
    mine = what;
#endif
    if
    :: mine == do_leave -> break
    :: else
    fi
  od;
crashed:
  left_in_round[id] = round;
  left++
}

/* Starts the kernel, and again after a fault. */
proctype keeper() {
  byte i;
  do
  ::
    atomic {
      left = 0; arrived = 0; phase = 0; has_crashed = false;
      for (i : 0 .. BLOCKS - 1) { run block(i) }
    };
    left == BLOCKS;
    if
    :: !has_crashed -> assert(left_in_round[0] == left_in_round[1]); break
    :: else ->
       if
#ifdef BROKEN_UNDER_WAY
       :: under_way != 0 ->
#else
       :: under_way == own_head + 1 ->
#endif
          assert(written[own_head]);
          dead[message[own_head]]++;
          own_head++;
          under_way = 0;
          head = own_head
       :: else -> under_way = 0
       fi
    fi
  od
}

inline give(command, wanted) {
  atomic { epoch = (epoch + 1) % 4; order = command };
  (answered_epoch == epoch && answer == wanted)
}

proctype host() {
  byte last, at;
  is_open = false;
  do
  :: give(order_drain, says_drained);
     if
     :: head == tail -> break
     :: else
     fi
  od;
  give(order_stop, says_stopped);
#ifdef BROKEN_CLOSE
  last = tail;
#else
  atomic { last = tail; tail = CLOSED };
#endif
  at = head;
  do
  :: at == last -> break
  :: else ->
     written[at];  /* who took the position writes it at once */
     dead[message[at]]++;
     at++
  od;
  is_over = true
}

init {
  byte i;
  atomic {
    run keeper();
    run host();
    for (i : 0 .. PRODUCERS - 1) { run producer(i) }
  }
  is_over && producers_ended == PRODUCERS && _nr_pr == 1;
  for (i : 0 .. MESSAGES - 1) {
    assert(handled[i] + dead[i] == was_taken[i])
  }
}
