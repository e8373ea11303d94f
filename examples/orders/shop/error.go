// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shop

// Code names one reason for which the shop refuses a request.
type Code string

// The reasons for which the shop refuses.
const (
	UnknownOrder        Code = "unknown_order"
	UnknownUser         Code = "unknown_user"
	UnknownCity         Code = "unknown_city"
	AlreadyCancelled    Code = "already_cancelled"
	OrderNotCancellable Code = "order_not_cancellable"
	OrderNotDeletable   Code = "order_not_deletable"
	InvalidOrderList    Code = "invalid_order_list"
	InvalidAmount       Code = "invalid_amount"
	NothingPaid         Code = "nothing_paid"
	RefundTooLarge      Code = "refund_too_large"
	ConfirmMissing      Code = "confirm_missing"
	AlreadyDeleted      Code = "already_deleted"
	UserHasOpenOrders   Code = "user_has_open_orders"
	InvalidRecipient    Code = "invalid_recipient"
	InvalidSubject      Code = "invalid_subject"
	InvalidBody         Code = "invalid_body"
	InvalidCommand      Code = "invalid_command"
	InvalidWorkdir      Code = "invalid_workdir"
	CommandTimeout      Code = "command_timeout"
	ShellMissing        Code = "shell_missing"
)

// Error is a refusal by a business rule: the request was understood and nothing
// was changed (a [CommandTimeout] is the one exception: what the command did
// before it was stopped stays). Its text never repeats what the caller sent.
type Error struct {
	Code    Code
	Message string // what is wrong, one clause
	Advice  string // what the caller can do next, one clause
}

// Error gives "code: message; advice".
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Message
	if e.Advice != "" {
		s += "; " + e.Advice
	}
	return s
}

func refuse(code Code, message, advice string) error {
	return &Error{Code: code, Message: message, Advice: advice}
}
