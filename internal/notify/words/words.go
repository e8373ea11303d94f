// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package words is what cards and answers say, in the languages there are. It
// knows no approval.
package words

// Language is one of those there are.
type Language string

// Languages.
const (
	English Language = "en"
	Chinese Language = "zh"
)

// Word names a text.
type Word string

// Words of cards.
const (
	Needed     Word = "needed"
	Tool       Word = "tool"
	Risk       Word = "risk"
	Asks       Word = "asks"
	Reason     Word = "reason"
	Rule       Word = "rule"
	Votes      Word = "votes"
	Code       Word = "code"
	Until      Word = "until"
	Open       Word = "open"
	Yes        Word = "yes"
	No         Word = "no"
	DecidedBy  Word = "decidedBy"
	LinkOnly   Word = "linkOnly"
	Impact     Word = "impact"
	LowRisk    Word = "low"
	MediumRisk Word = "medium"
	HighRisk   Word = "high"
	Approved   Word = "approved"
	Rejected   Word = "rejected"
	Expired    Word = "expired"
	Cancelled  Word = "cancelled"
	Replaced   Word = "replaced"
	Revoked    Word = "revoked"
	Over       Word = "over"
)

// Words of answers to a click.
const (
	Counted     Word = "counted"
	MoreNeeded  Word = "moreNeeded"
	AlreadyOver Word = "alreadyOver"
	VotedBefore Word = "votedBefore"
	Unknown     Word = "unknown"
	TooHigh     Word = "tooHigh"
	NotHere     Word = "notHere"
	NotLinked   Word = "notLinked"
	NotYours    Word = "notYours"
	Repeated    Word = "repeated"
	Later       Word = "later"
	Test        Word = "test"
)

// In returns a text in a language. What a language lacks, it says in English.
func In(l Language, w Word) string {
	if text, ok := texts(l)[w]; ok {
		return text
	}
	return english()[w]
}

// All are the words of a language.
func All(l Language) []Word {
	var out []Word
	for w := range texts(l) {
		out = append(out, w)
	}
	return out
}

func texts(l Language) map[Word]string {
	if l == Chinese {
		return chinese()
	}
	return english()
}

func english() map[Word]string {
	return map[Word]string{
		Needed:     "Approval needed",
		Tool:       "Tool",
		Risk:       "Risk",
		Asks:       "Asked by",
		Reason:     "Reason",
		Rule:       "Rule",
		Votes:      "Approvals",
		Code:       "Code",
		Until:      "Waits until",
		Open:       "Open",
		Yes:        "Approve",
		No:         "Reject",
		DecidedBy:  "Decided by",
		LinkOnly:   "To decide, open the link.",
		Impact:     "Impact",
		LowRisk:    "low",
		MediumRisk: "medium",
		HighRisk:   "high",
		Approved:   "Approved",
		Rejected:   "Rejected",
		Expired:    "Nobody answered in time",
		Cancelled:  "Taken back",
		Replaced:   "Changed by an approver: asked anew",
		Revoked:    "Approval taken back",
		Over:       "Decided",

		Counted:     "Your answer is recorded.",
		MoreNeeded:  "Your approval is recorded. Others must approve, too.",
		AlreadyOver: "This was decided already. Nothing changed.",
		VotedBefore: "You answered already. Nothing changed.",
		Unknown:     "This card is not known here. Nothing changed.",
		TooHigh:     "A call of high risk is never decided in a chat. Nothing changed. Open the link.",
		NotHere:     "Calls of this risk are not decided in this chat. Nothing changed. Open the link.",
		NotLinked:   "This account is not linked to a person. Nothing changed. To link it, sign in and open the link.",
		NotYours:    "You may not decide this: an approver is somebody the rule names, and not the one who asks. Nothing changed.",
		Repeated:    "This click was received before.",
		Later:       "It could not be decided now. See what it says here before you try again.",
		Test:        "This is a test of the channel. No approval waits.",
	}
}

func chinese() map[Word]string {
	return map[Word]string{
		Needed:     "需要审批",
		Tool:       "工具",
		Risk:       "风险",
		Asks:       "请求者",
		Reason:     "原因",
		Rule:       "规则",
		Votes:      "已同意",
		Code:       "核对码",
		Until:      "等待至",
		Open:       "打开",
		Yes:        "批准",
		No:         "拒绝",
		DecidedBy:  "决定者",
		LinkOnly:   "请打开链接进行审批。",
		Impact:     "影响",
		LowRisk:    "低",
		MediumRisk: "中",
		HighRisk:   "高",
		Approved:   "已批准",
		Rejected:   "已拒绝",
		Expired:    "无人及时答复，已过期",
		Cancelled:  "请求者已撤回",
		Replaced:   "参数已被审批人修改，将重新审批",
		Revoked:    "批准已被收回",
		Over:       "已决定",

		Counted:     "已记录您的决定。",
		MoreNeeded:  "已记录您的批准，还需要其他人批准。",
		AlreadyOver: "此审批已有结果，未作任何更改。",
		VotedBefore: "您已经答复过，未作任何更改。",
		Unknown:     "无法识别此卡片，未作任何更改。",
		TooHigh:     "高风险调用不能在聊天中审批，未作任何更改。请打开链接。",
		NotHere:     "此风险等级的调用不能在本聊天中审批，未作任何更改。请打开链接。",
		NotLinked:   "此账号尚未关联到人员，未作任何更改。请登录并打开链接进行关联。",
		NotYours:    "您不能审批此调用：审批人须由规则指定，且不能是请求者本人。未作任何更改。",
		Repeated:    "此次点击已处理过。",
		Later:       "现在无法审批。再次尝试之前，请先打开链接查看状态。",
		Test:        "这是通道测试，没有等待的审批。",
	}
}
