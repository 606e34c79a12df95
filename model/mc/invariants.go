package mc

import "ndkoracle/model"

// What must hold in every state, and of every step: the operators of tla/ by the same names. They say in words of their own
// what the actions are meant to achieve, and use none of the model's.

type (
	invariant func(*Moment) bool
	property  func(before, after *Moment, a model.Action) bool
)

var invariants = map[string]invariant{
	"TypeOK":                   TypeOK,
	"CqTypeOK":                 CqTypeOK,
	"QpTypeOK":                 QpTypeOK,
	"ArmNotMissed":             ArmNotMissed,
	"PolledNotMissed":          PolledNotMissed,
	"DebtIsBounded":            DebtIsBounded,
	"ErrorIsOwed":              ErrorIsOwed,
	"NoMoreThanAsked":          NoMoreThanAsked,
	"EmptyHandedOnlyIfEmpty":   EmptyHandedOnlyIfEmpty,
	"ShortBatchMeansEmpty":     ShortBatchMeansEmpty,
	"ClosedIsAtRest":           ClosedIsAtRest,
	"OneCallbackAnArm":         OneCallbackAnArm,
	"CallbacksSerialised":      CallbacksSerialised,
	"NoCallbackAfterClose":     NoCallbackAfterClose,
	"ArmIsTheJoin":             ArmIsTheJoin,
	"RefusedNeverCompletes":    RefusedNeverCompletes,
	"CompletedOnce":            CompletedOnce,
	"QueueOrder":               QueueOrder,
	"SilentSuccessIsSilent":    SilentSuccessIsSilent,
	"FailureIsTold":            FailureIsTold,
	"CancelledHasCause":        CancelledHasCause,
	"CqErrorBreaksQps":         CqErrorBreaksQps,
	"NoCompletionSleptThrough": NoCompletionSleptThrough,
	"NoCqErrorSleptThrough":    NoCqErrorSleptThrough,
	"DeliveredOnce":            DeliveredOnce,
	"DeliveredInOrder":         DeliveredInOrder,
	"InvalidForEitherPoll":     InvalidForEitherPoll,
	"IndicatedInOrder":         IndicatedInOrder,
	"ExecutedInOrder":          ExecutedInOrder,
	"UnconnectedSendsNothing":  UnconnectedSendsNothing,
	"ClosedIsEmpty":            ClosedIsEmpty,
	"FenceWaits":               FenceWaits,
	"AntecedentClosesLast":     AntecedentClosesLast,
	"KnownIsExecuted":          KnownIsExecuted,
	"QueueHasRoom":             QueueHasRoom,
	"DeepCqHasRoom":            DeepCqHasRoom,
}

var properties = map[string]property{
	"ArrivalWakes":            ArrivalWakes,
	"OtherArrivalsDoNotWake":  OtherArrivalsDoNotWake,
	"CallbackHasCause":        CallbackHasCause,
	"CallbackFindsEntries":    CallbackFindsEntries,
	"FreshSinceCallback":      FreshSinceCallback,
	"ResizeKeepsEntries":      ResizeKeepsEntries,
	"DepthIsWhatWasAsked":     DepthIsWhatWasAsked,
	"ShrinkIsRefused":         ShrinkIsRefused,
	"CloseStays":              CloseStays,
	"ArmIsKept":               ArmIsKept,
	"OverflowOnlyWhenFull":    OverflowOnlyWhenFull,
	"NothingAfterCqError":     NothingAfterCqError,
	"RefusedIndicatesEarlier": RefusedIndicatesEarlier,
	"FlushCancelsAll":         FlushCancelsAll,
	"MessageIsReceived":       MessageIsReceived,
	"InvalidatedBeforePlaced": InvalidatedBeforePlaced,
	"LaterInvalidateFails":    LaterInvalidateFails,
	"BadTokenAborts":          BadTokenAborts,
	"NothingSucceedsAborted":  NothingSucceedsAborted,
	"RefusalDropsNothing":     RefusalDropsNothing,
	"OutcomeStays":            OutcomeStays,
	"ClosingTakesNothing":     ClosingTakesNothing,
	"FlushIsOwn":              FlushIsOwn,
	"CompletionIsTrue":        CompletionIsTrue,
	"NoCompletionLost":        NoCompletionLost,
	"ReceiveHasMessage":       ReceiveHasMessage,
	"OverflowHasCause":        OverflowHasCause,
	"FlushMeetsNoChain":       FlushMeetsNoChain,
	"CancelledAfterFlush":     CancelledAfterFlush,
	"RegistrationValidates":   RegistrationValidates,
	"ReadInvalidatesToken":    ReadInvalidatesToken,
	"NoAccessWhenInvalid":     NoAccessWhenInvalid,
	"AbortHasCause":           AbortHasCause,
	"InvalidateFailsAsRead":   InvalidateFailsAsRead,
	"KeptOrDropped":           KeptOrDropped,
}
