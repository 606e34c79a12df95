package declared

// The occasions on which both engines count rules.
const (
	Callback       Occasion = "a callback of a CQ is entered"
	Event          Occasion = "an event of a completion channel is read"
	Resting        Occasion = "the provider comes to rest"
	Poll           Occasion = "a poll returns"
	PollTakes      Occasion = "a poll returns what is there, or finds nothing"
	Told           Occasion = "a completion is delivered"
	ToldOfRequest  Occasion = "the completion of a request that is known is delivered"
	Completes      Occasion = "a request completes"
	Cancelled      Occasion = "a request completes as cancelled"
	Deferred       Occasion = "a deferred request completes"
	RefusedChain   Occasion = "a deferred request completes whose chain a refusal ended"
	Silent         Occasion = "a silent request succeeds, or has a completion"
	Flushed        Occasion = "NdkFlush returns"
	CqCloses       Occasion = "a CQ is closed"
	CqFails        Occasion = "a CQ fails"
	Resized        Occasion = "a resize of a CQ is answered"
	ResizedLower   Occasion = "a resize of a CQ to a lower depth is answered, or a resize is refused"
	RefusedAsIdle  Occasion = "a post is refused on a queue pair that is not connected"
	ReceivePosted  Occasion = "a receive is posted on a queue pair that is not connected"
	Invalidated    Occasion = "NdkInvalidate names a token that the peer has invalidated"
	TokenTold      Occasion = "a receive reports a token that its message invalidates"
	BadToken       Occasion = "a message names a token that is not valid"
	ArmsAgain      Occasion = "a CQ is armed that is already armed"
	ArmMeetsFresh  Occasion = "a CQ is armed that has a matching completion for which no callback was owed"
	ArmMeetsOthers Occasion = "a CQ is armed that has other completions"
	PlacedErrors   Occasion = "a completion is placed while the CQ is armed ERRORS"
	PlacedAny      Occasion = "a completion is placed while the CQ is armed ANY"
	PlacedSolicits Occasion = "a solicited completion is placed while the CQ is armed SOLICITED"
	PlacedFails    Occasion = "a failure is placed while the CQ is armed SOLICITED"
	PlacedPlain    Occasion = "an unsolicited success is placed while the CQ is armed SOLICITED"
)

// The rules that both engines decide by the steps of the model. The clauses' own are declared beside these.
var _ = Add(
	Rule{ID: "ARM-01", On: []Occasion{Callback, Event}},
	Rule{ID: "ARM-02", On: []Occasion{Callback, Event}},
	Rule{ID: "ARM-03", On: []Occasion{Resting}, Eventual: true},
	Rule{ID: "ARM-04", On: []Occasion{ArmMeetsFresh}, Eventual: true},
	Rule{ID: "ARM-05", On: []Occasion{ArmMeetsOthers}, OnlyNdk: true},
	Rule{ID: "ARM-06", On: []Occasion{Callback}, OnlyCalls: true},
	Rule{ID: "ARM-07", On: []Occasion{ArmsAgain}, Eventual: true},
	Rule{ID: "ARM-08", On: []Occasion{PlacedErrors}, OnlyNdk: true},
	Rule{ID: "ARM-09", On: []Occasion{PlacedAny}, Eventual: true},
	Rule{ID: "ARM-10", On: []Occasion{PlacedSolicits}, Eventual: true, Rests: Matching},
	Rule{ID: "ARM-11", On: []Occasion{PlacedFails}, Eventual: true},
	Rule{ID: "ARM-12", On: []Occasion{PlacedPlain}, Rests: Matching},
	Rule{ID: "ARM-16", On: []Occasion{CqFails}},
	Rule{ID: "ARM-17", On: []Occasion{CqFails}},
	Rule{ID: "ARM-20", On: []Occasion{CqCloses}},
	Rule{ID: "ARM-21", On: []Occasion{Callback, Event}},
	Rule{ID: "POLL-02", On: []Occasion{Poll}},
	Rule{ID: "POLL-04", On: []Occasion{ToldOfRequest}},
	Rule{ID: "POLL-07", On: []Occasion{Invalidated}, Rests: Matching},
	Rule{ID: "POLL-08", On: []Occasion{Invalidated}, Rests: Matching | Tokens},
	Rule{ID: "RES-09", On: []Occasion{TokenTold}, Rests: Tokens},
	Rule{ID: "DEF-02", On: []Occasion{Deferred}, OnlyNdk: true},
	Rule{ID: "DEF-05", On: []Occasion{RefusedChain}, OnlyNdk: true, Eventual: true},
	Rule{ID: "DEF-07", On: []Occasion{Deferred}, OnlyNdk: true},
	Rule{ID: "POST-09", On: []Occasion{ReceivePosted}},
	Rule{ID: "FLAG-01", On: []Occasion{Silent}},
	Rule{ID: "INV-06", On: []Occasion{TokenTold}, Rests: Tokens},
	Rule{ID: "RSZ-02", On: []Occasion{Resized}},
	Rule{ID: "RSZ-03", On: []Occasion{ResizedLower}},
)
