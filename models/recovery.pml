/* An actor on the device of a session. A batch is an upload of messages, a launch and a download of the answers; all go into
 * a log. The device may be lost at any step, twice at most: another one gets the state of the last checkpoint, and the log
 * since then is run again. A download that the host has seen is not written again.
 * src/ring/driven.cpp over src/driver/decorators/recoverable/.
 *
 * Checked: the host sees each message answered once, with the answer that it would have had without a loss, and at the end
 * the state has each message once.
 *
 * BROKEN_STATE: the new device begins with the state that the lost one had.
 * BROKEN_LOG: the log is run again from the last launch only.
 * BROKEN_TWICE: a download that the host has seen is handed to it again.
 */
#define BATCHES 3

byte state, saved;              /* messages handled: of the device, at the checkpoint */
byte ring, saved_ring;          /* messages that were uploaded */
byte logged;                    /* first batch of the log */
byte now;                       /* the batch under way */
byte seen[BATCHES];             /* how often the host got the batch's answer */
byte losses;

inline lose() {
  byte again;
#ifndef BROKEN_STATE
  state = saved;
#endif
  ring = saved_ring;
  again = logged;
#ifdef BROKEN_LOG
  if
  :: now > 0 -> again = now
  :: else
  fi;
#endif
  do
  :: again < now ->
     ring = again + 1;
     state++;                   /* each batch has one message */
#ifdef BROKEN_TWICE
     seen[again]++;
#endif
     again++
  :: else -> break
  od
}

active proctype host() {
  byte i;
  do
  :: now == BATCHES -> break
  :: now < BATCHES && losses < 2 -> losses++; lose()
  :: now < BATCHES ->
     ring = now + 1;
     if
     :: losses < 2 -> losses++; lose(); ring = now + 1   /* between upload and launch */
     :: skip
     fi;
     state++;
     if
     :: losses < 2 -> losses++; lose(); ring = now + 1; state++  /* between launch and download: both again */
     :: skip
     fi;
     assert(state == now + 1);
     seen[now]++;
     now++;
     if
     :: saved = state; saved_ring = ring; logged = now   /* a checkpoint, when the host waits */
     :: skip
     fi
  od;
  assert(state == BATCHES);
  for (i : 0 .. BATCHES - 1) {
    assert(seen[i] == 1)
  }
}
