// Texts of the errors that actors report.
#pragma once

#include "base/message.hpp"

namespace quern::ring::message {

using base::Message;

// Actors and messages
inline constexpr Message<0> kEmptyActor{"using an actor failed: it is empty (never spawned)"};
inline constexpr Message<2> kMessageSize{"send failed: the message has {} bytes, the actor's Message has {}"};
inline constexpr Message<1> kOneMessage{"call failed: a call takes one message, got {}"};
inline constexpr Message<0> kZeroPeriod{"send failed: the period of a repeated message is 0",
                                        "use a period above 0"};
inline constexpr Message<2> kRingFull{
    "send failed: the actor's ring is full: {} {} wait in it",
    "set Options::slots to a larger number, or Options::when_full to another policy"};
inline constexpr Message<2> kNoRoom{
    "send failed: the actor's ring has no room for {} messages: it has {} slots",
    "set Options::slots to a larger number, or Options::when_full to another policy"};
inline constexpr Message<0> kNoUrgent{"send failed: the actor does not support urgent messages",
                                      "set Options::urgent to the number of slots"};
inline constexpr Message<0> kNoDeadlines{"send failed: the actor does not support deadlines",
                                         "set Options::deadlines"};
inline constexpr Message<0> kDeadlinePassed{"send failed: the deadline of the message has already passed"};
inline constexpr Message<0> kDraining{"send failed: the actor is draining"};
inline constexpr Message<1> kSendAfterEnd{"send failed: the actor {}"};
inline constexpr Message<2> kBatchTooLarge{
    "send failed: a batch of {} messages does not fit a ring of {} slots",
    "set Options::slots to a larger number, or send smaller batches"};
inline constexpr Message<1> kNoReplySlot{
    "call failed: all {} reply slots are in use",
    "take the replies of earlier calls, or set Options::replies to a larger number"};
inline constexpr Message<1> kRepliesNotTaken{
    "call failed: all {} reply slots hold replies that have not been taken",
    "take the replies of earlier calls, or set Options::replies to a larger number"};
inline constexpr Message<0> kReplyTaken{"get failed: the reply was already taken, or the Future is empty"};
inline constexpr Message<0> kReplyInCallback{
    "deadlock: a callback waits for the reply of a driven actor of its own group",
    "wait for the reply on another thread"};
inline constexpr Message<0> kMessageDropped{
    "call failed: the message was dropped, or its actor's kernel ended"};
inline constexpr Message<1> kEndedBeforeReply{"call failed: the actor ended before it replied{}"};
inline constexpr Message<0> kDeadlineMissed{"call failed: the message was not handled before its deadline"};
inline constexpr Message<1> kHandlerRejected{
    "call failed: the actor's handler rejected the message with code {}"};

// Spawning
inline constexpr Message<2> kSourceFile{"reading the actor's source file '{}' failed: {}",
                                        "check the path and its permissions"};
inline constexpr Message<3> kTypeSize{
    "spawn failed: the actor's {} has {} bytes on the device and {} in the program"};
inline constexpr Message<2> kStateSize{
    "spawn failed: the initial state has {} bytes, the actor's State has {}"};
inline constexpr Message<0> kTooManyKinds{"spawn failed: a group allows at most 16 kinds of actors"};
inline constexpr Message<2> kLargeMessage{"spawn failed: a Message has {} bytes, but the limit is {}",
                                          "pass larger data in one of the actor's buffers"};
inline constexpr Message<3> kInvalidActor{"spawn failed: the actor in {} is invalid: {}", "{}"};
inline constexpr Message<4> kTooManyBlocks{
    "spawn failed: a grid of {} blocks of {} threads requested, but {} runs at most {} of them concurrently",
    "set Options::blocks = 0 to use the number that suits the device"};
inline constexpr Message<1> kSameKind{"spawn failed: a group has two kinds of actors named '{}'",
                                      "rename one of them"};
inline constexpr Message<3> kOptionRange{"spawn failed: {} {} requested, but the allowed range is 1 to {}"};
inline constexpr Message<1> kGroupSize{
    "spawn failed: a group of {} actors requested, but the allowed range is 1 to 4096"};
inline constexpr Message<1> kTooManyBuffers{"spawn failed: {} buffers given, but the limit is 4"};
inline constexpr Message<1> kGridGroup{"spawn failed: a group of shape 'grid' has one actor, got {}"};
inline constexpr Message<0> kParallelRestart{
    "spawn failed: a group of shape 'parallel' cannot be restarted, because it handles many messages "
    "concurrently"};
inline constexpr Message<0> kZeroBatch{"spawn failed: Options::batch is 0", "use at least 1"};
inline constexpr Message<2> kTooManyTimers{"spawn failed: {} timers requested, but the limit is {}"};
inline constexpr Message<1> kParallelOption{
    "spawn failed: a group of shape 'parallel' does not support {}: its messages are not ordered"};
inline constexpr Message<2> kNotPersistent{"spawn failed: {} ({}) does not support persistent kernels",
                                           "use Engine::driven"};
inline constexpr Message<3> kLargeBlock{
    "spawn failed: blocks of {} threads requested, but {} allows at most {}"};
inline constexpr Message<1> kNotRepeatable{
    "spawn failed: persistent actors on the device of a session do not support {}: after a device loss, "
    "messages are handled again and must give the same result",
    "use Engine::driven"};
inline constexpr Message<1> kLostBeforeLaunch{"launching the actors' kernel failed: {} was lost"};
inline constexpr Message<1> kNoSharedMemory{
    "spawn failed: {} has no memory that the host and a running kernel can share"};
inline constexpr Message<3> kLayoutDiffers{
    "internal error: host and device disagree about the memory of a ring: {} is {} on the host and {} on the "
    "device"};

// Life cycle
inline constexpr Message<1> kBeingStopped{"an actor that another thread is stopping cannot {}"};
inline constexpr Message<3> kEnded{"an actor that {} cannot {}{}"};
inline constexpr Message<0> kControlInCallback{
    "deadlock: a callback controls a driven actor of its own group", "make the call on another thread"};
inline constexpr Message<0> kReplaceWhileStopping{"replace failed: another thread is stopping the actors"};
inline constexpr Message<0> kReplaceAfterFault{"replace failed: the kernel has ended"};
inline constexpr Message<0> kReplaceInCallback{"deadlock: a callback replaces the handler of its own actors",
                                               "make the call on another thread"};
inline constexpr Message<0> kReplaceRecoverable{
    "replace failed: the handler of recoverable persistent actors cannot be replaced, because messages may "
    "be handled again",
    "use Engine::driven"};
inline constexpr Message<0> kReplaceAfterEnd{"replace failed: the actors have ended"};
inline constexpr Message<4> kReplaceSize{
    "replace failed: the new handler's {}{} has {} bytes, but the actor's has {}"};
inline constexpr Message<1> kLostRepeatedly{
    "the device was lost {} times in a row without handling a message in between"};
inline constexpr Message<0> kWatchdog{"its handler took longer than the watchdog allows"};

// Checkpoints
inline constexpr Message<3> kBufferCount{"{} has {}, but this actor has {}",
                                         "spawn the actor with the same Options::buffers"};
inline constexpr Message<4> kBufferSize{"{} has {} bytes for buffer {}, which has {} here"};
inline constexpr Message<3> kTimerCount{"restore failed: {} has {} timers, but this actor has room for {}",
                                        "set Options::timers"};
inline constexpr Message<1> kRestoreDeadlines{
    "restore failed: {} has messages with deadlines, which this actor does not support",
    "set Options::deadlines"};
inline constexpr Message<0> kMessagesWait{"restore failed: messages wait for the actor"};
inline constexpr Message<1> kIncomplete{"'{}' is not a complete checkpoint of an actor"};
inline constexpr Message<3> kCheckpointFile{"the checkpoint '{}' cannot be {}: {}"};
inline constexpr Message<1> kNotCheckpoint{"'{}' is not a checkpoint of an actor, or is incomplete"};
inline constexpr Message<1> kNewerCheckpoint{"the checkpoint '{}' was written by a newer version"};
inline constexpr Message<5> kCheckpointSizes{
    "the checkpoint '{}' is of an actor with a State of {} and a Message of {} bytes, but this one has {} "
    "and {}"};
inline constexpr Message<0> kTimerKind{"reading a checkpoint failed: unknown kind of timer"};

}  // namespace quern::ring::message
