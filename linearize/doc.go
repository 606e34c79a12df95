// Package linearize decides whether the contract allows a recorded trace: whether some timing of the hidden steps (a completion placed, an arm
// satisfied, a request indicated) explains every event in its place.
//
// It is the entry point: it chooses the engine, extends a partial order to total orders, and combines the answers of the engines. The packages
// below do the work, each importing only from those before it:
//
//	witness    one full order of a trace with its hidden steps, and its replay with the model alone
//	verdict    the answer: verdicts, findings, what became of each rule, and the words in which both engines tell them
//	calls      what the functions of NDKPI and of libibverbs, and what they return, mean to the contract
//	monitor    the rules that boundary events decide alone: arguments, lifetimes, overlapping calls, answers; both engines use it
//	automaton  all explanations of one CQ at once, built from the model's steps as they are met
//	stream     the engine that reads a trace once, of any length, or those of two hosts together, by the automaton
//	search     the engine that has porcupine search a short trace as a whole, by the model
//
// Package histories, for tests alone, draws random histories, and has the plain search that the engines are compared with.
package linearize
