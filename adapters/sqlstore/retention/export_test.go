package retention

// Unexported identifiers that the tests use.

const MessagesOver = messagesOver
const SelectOldest = selectOldest
const SelectSessionsHeld = selectSessionsHeld
const SelectSessionsNext = selectSessionsNext

type EndedRow = endedRow
type Ending = ending

var BuyerSessions = buyerSessions
var Leftovers = leftovers
var Names = names
