package breach

import "ndkoracle/model"

// IsOfDeadToken reports whether a refusal is that an invalidation succeeded and its token was not valid.
func IsOfDeadToken(r *model.Refusal) bool { return r.Rule == deadToken }

// InvalidatedByPeer is the breach that an invalidation succeeded, as seen says, and its token was not valid: the message that the receive wr took had invalidated
// it. A plain NdkGetCqResults fetched the receive, or not.
func InvalidatedByPeer(seen, wr string, plain bool) Breach {
	const told = "%s, and the peer's NdkSendAndInvalidate, received as %s, had invalidated the token"
	if plain {
		return breaks(deadTokenOfPlain, told+"; that the receive was fetched by plain NdkGetCqResults changes nothing", seen, wr).or(deadToken)
	}
	return breaks(deadToken, told, seen, wr).or(deadTokenOfPlain)
}
