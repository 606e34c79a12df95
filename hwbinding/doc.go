// Package hwbinding is a provider of NDKPI on any device of libibverbs.
//
// It keeps the whole contract. Where verbs, or the verbs of one device, differ from the contract, it corrects the difference in software:
//
//   - NdkArmCq, a poll, an event and the watchdog each move the device's completions into a queue in memory, the shadow. The shadow has the
//     state that the contract gives a CQ: the number of fresh entries, the merged arm, owed callbacks, the requested depth. So an arm with
//     fresh entries present is satisfied at once (ARM-04), which ibv_req_notify_cq never does, and ERRORS arms exist.
//   - A SOLICITED arm is armed in the device solicited-only, so the device makes no event for unsolicited successes. A device may then make no
//     event for failed completions either (Soft-RoCE of Linux 6.12), though they satisfy the arm (ARM-11). A watchdog finds them: see cq.watch.
//   - A completion does not say whether its sender asked for an event. Not all devices say which token it made invalid. Both ends of every
//     connection are in this process, and a connection delivers in order, so each end records what it sends for the other: see direction.
//   - Deferred requests are kept and posted as one list (DEF-02). The device may refuse one that NdkSend has accepted. That one still completes
//     in its place, with a failure.
//   - A device may report a failed request as flushed, or break when a token is made invalid twice. Soft-RoCE of Linux 6.12 does both: the
//     second stops the kernel. See adapter.completed and direction.claim.
//   - Silent requests are unsignalled. Some are signalled to free their places in the send queue.
//   - A failed request puts the QP into its error state. The provider then moves the QP there once more, which flushes receives that were
//     posted meanwhile, also on devices that would otherwise lose them.
//
// There is no NdkFastRegister: user space can't. NdkBind, NdkInvalidate and NdkSendAndInvalidate are supported where the
// device has memory windows of type 2 and IBV_WR_SEND_WITH_INV.
//
// Seen from outside, calls on one adapter happen one after the other, under one lock; callbacks run without it.
//
// # Building
//
// The device's half needs Linux, cgo and libibverbs (Debian: libibverbs-dev, ibverbs-providers), and is compiled only
// with the build tag ibverbs: the Makefile sets it where the headers are. Built without it, Open and Devices return an
// error that says so.
package hwbinding
