// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Made by scripts/types.mjs from httpgate/openapi.json: change that, not this.

export interface Approval {
  card: Card;
  code: string;
  created: string;
  digest: string;
  edited?: Edited;
  expires: string;
  id: string;
  policyVersion: string;
  replacedBy?: string;
  replaces?: string;
  requirements: Requirement[];
  status: string;
  votes?: Vote[];
}

export interface CallVerdict {
  answer?: unknown;
  callId?: string;
  claim?: Leave;
  confirmation?: ConfirmationInfo;
  decision: Decision;
  digest?: string;
  edited?: Edited;
  error?: Refusal;
  id?: string;
  paused?: boolean;
  replayed?: boolean;
  result?: unknown;
  securityBlocked: boolean;
  stateChanged: true | false | "unknown";
  success: boolean;
  tool?: string;
  verdict: "allow" | "ask" | "deny";
}

export interface Card {
  agent?: string;
  arguments: unknown;
  effects?: Effect[];
  impact?: string;
  moreEffects?: number;
  reason?: string;
  requester: string;
  risk: string;
  rules?: Match[];
  safety: string;
  session?: string;
  summary: string;
  tool: string;
  whole?: unknown;
}

export interface Change {
  after?: unknown;
  before?: unknown;
  path: string;
}

export interface Choice {
  disabled: boolean;
  subjects: string[];
  tool: string;
  user: string;
}

export interface Claim {
  approval?: string;
  callId: string;
  deadline: string;
  digest: string;
  epoch: number;
  handle?: string;
  key: string;
  node: string;
  outcome?: Outcome;
  reconcile?: Reconcile;
  state: string;
  subject: string;
  tool: string;
  updated: string;
}

export interface ConfirmationInfo {
  arguments?: unknown;
  expires: string;
  id: string;
  impact?: string;
  reason?: string;
  risk: string;
  status: string;
  summary: string;
  tool: string;
}

export interface Decision {
  code?: string;
  grant?: string;
  id: string;
  observed?: Observed;
  policyHash: string;
  policyVersion: string;
  reason?: string;
  rule?: string;
  rules?: Match[];
  verdict: "allow" | "ask" | "deny";
}

export interface Edited {
  by: string;
  changes: Change[];
  more?: number;
  reason?: string;
}

export interface Effect {
  amount?: string;
  argv?: string[];
  currency?: string;
  deep?: boolean;
  detail?: string;
  domain?: string;
  field?: string;
  folded?: boolean;
  host?: string;
  ip?: string;
  kind: string;
  known?: boolean;
  names?: boolean;
  network?: string;
  path?: string;
  pattern?: string;
  port?: number;
  program?: string;
  query?: Query;
  recipient?: string;
  scheme?: string;
  sha256?: string;
  source?: string;
  verb?: string;
}

export interface Escalation {
  after: number;
  to: string[];
}

export interface Evaluation {
  context: Reasons;
  decision: boolean;
}

export interface Fault {
  detail: string;
  status: number;
}

export interface FieldError {
  message: string;
  path: string;
}

export interface Finding {
  at: string;
  exists?: boolean;
  is?: Term[];
}

export interface Found {
  answer?: unknown;
  callId?: string;
  confirmation?: string;
  detail: string;
  doubt?: string;
  state: string;
  tool: string;
}

export interface Leave {
  arguments: unknown;
  deadline: string;
  id: string;
  idempotencyKey?: string;
  token: string;
}

export interface Match {
  rule: string;
  unknown?: boolean;
  verdict: "allow" | "ask" | "deny";
}

export interface Numbered {
  agent?: string;
  approval?: string;
  approvalState?: string;
  arguments?: unknown;
  argumentsMac?: string;
  at: string;
  callId?: string;
  callerId?: string;
  claim?: string;
  code?: string;
  detail?: string;
  door?: string;
  effects?: Effect[];
  effectsLeft?: number;
  grant?: string;
  key?: string;
  kind: string;
  model?: string;
  observed?: Observed;
  policyHash?: string;
  policyVersion?: string;
  readOnlyRun?: boolean;
  rule?: string;
  rules?: Match[];
  run?: string;
  seq: number;
  session?: string;
  subject?: string;
  took?: number;
  tool?: string;
  toolHash?: string;
  trace?: string;
  user?: string;
  verdict?: string;
}

export interface Observed {
  code?: string;
  rule?: string;
  verdict: "allow" | "ask" | "deny";
}

export interface Outcome {
  code?: string;
  content?: unknown;
  message?: string;
  status: string;
  took?: number;
}

export interface Problem {
  /** What is wrong, and what to do. */
  detail: string;
  /** The same as the header X-Request-Id. */
  requestId?: string;
  status: number;
  title: string;
}

export interface Query {
  bounded: boolean;
  changes?: string[];
  columns?: string[];
  functions?: string[];
  limit?: number;
  reads?: string[];
  statement: number;
  verb: string;
}

export interface Reasons {
  confirmation?: ConfirmationInfo;
  decision?: Decision;
  digest?: string;
  id?: string;
  message?: string;
  reason?: string;
  retryAfter?: number;
  verdict: "allow" | "ask" | "deny";
}

export interface Reconcile {
  arguments?: Record<string, Term>;
  failed?: Finding[];
  failedAfter?: number;
  succeeded?: Finding[];
  tool: string;
}

export interface Refusal {
  code: string;
  details?: FieldError[];
  message: string;
  recommendedAction?: string;
  retryAfter?: number;
  retryable: boolean;
}

export interface Requirement {
  approvers: string[];
  clientAttested?: boolean;
  editorMayApprove?: boolean;
  escalate?: Escalation;
  expires: number;
  quorum: number;
  rule?: string;
  selfApproval?: boolean;
}

export interface Result {
  callId?: string;
  confirmation?: ConfirmationInfo;
  decision: Decision;
  edited?: Edited;
  error?: Refusal;
  paused?: boolean;
  replayed?: boolean;
  result?: unknown;
  securityBlocked: boolean;
  stateChanged: true | false | "unknown";
  success: boolean;
}

export interface Run {
  disabled?: string[];
  ended?: boolean;
  environment?: Record<string, string>;
  expires: string;
  id: string;
  readOnly?: boolean;
}

export interface Term {
  from?: string;
  value?: unknown;
}

export interface ToldOutcome {
  answer?: unknown;
  callId?: string;
  claim: string;
  confirmation?: ConfirmationInfo;
  decision: Decision;
  edited?: Edited;
  error?: Refusal;
  paused?: boolean;
  problem?: Fault;
  repeated?: boolean;
  replayed?: boolean;
  result?: unknown;
  securityBlocked: boolean;
  stateChanged: true | false | "unknown";
  success: boolean;
}

export interface ToolView {
  confirmation: string;
  description?: string;
  execution: string;
  groups?: string[];
  hash: string;
  hidden?: boolean;
  inputSchema?: unknown;
  name: string;
  permission?: string;
  risk: string;
  safety: string;
  server: string;
  title?: string;
}

export interface Verdicts {
  /** What is to be appended to the conversation. */
  messages?: unknown;
  results: CallVerdict[];
  verdict: "allow" | "ask" | "deny";
}

export interface Vote {
  approved: boolean;
  at: string;
  by: string;
  reason?: string;
}

/** What each request takes and answers with status 200. */
export interface Operations {
  /** Where the AuthZEN endpoints are */
  "GET /.well-known/authzen-configuration": {
    body: undefined;
    answer: Record<string, unknown>;
  };
  /** AuthZEN: whether a tool may be called */
  "POST /access/v1/evaluation": {
    body: {
      action: {
        name: string;
        properties?: Record<string, unknown>;
      };
      context?: {
        model?: string;
        run?: string;
        session?: string;
      };
      resource: {
        id: string;
        properties: {
          arguments: Record<string, unknown>;
        };
        type: string;
      };
      subject: {
        id: string;
        properties?: Record<string, unknown>;
        type: string;
      };
    };
    answer: Evaluation;
  };
  /** AuthZEN: several questions */
  "POST /access/v1/evaluations": {
    body: {
      action?: {
        name: string;
        properties?: Record<string, unknown>;
      };
      context?: {
        model?: string;
        run?: string;
        session?: string;
      };
      evaluations?: Array<{
        action?: {
          name: string;
          properties?: Record<string, unknown>;
        };
        context?: {
          model?: string;
          run?: string;
          session?: string;
        };
        resource?: {
          id: string;
          properties: {
            arguments: Record<string, unknown>;
          };
          type: string;
        };
        subject?: {
          id: string;
          properties?: Record<string, unknown>;
          type: string;
        };
      }>;
      options?: {
        evaluations_semantic?: "execute_all" | "deny_on_first_deny" | "permit_on_first_permit";
      };
      resource?: {
        id: string;
        properties: {
          arguments: Record<string, unknown>;
        };
        type: string;
      };
      subject?: {
        id: string;
        properties?: Record<string, unknown>;
        type: string;
      };
    };
    answer: Evaluation | {
      evaluations: Evaluation[];
    };
  };
  /** What waits and what was decided */
  "GET /v1/approvals": {
    body: undefined;
    answer: {
      approvals: Approval[];
    };
  };
  /** An approval */
  "GET /v1/approvals/{id}": {
    body: undefined;
    answer: Approval;
  };
  /** Approve a call */
  "POST /v1/approvals/{id}/approve": {
    body: {
      reason?: string;
    };
    answer: Approval;
  };
  /** Take a question back */
  "POST /v1/approvals/{id}/cancel": {
    body: {
      reason?: string;
    };
    answer: Approval;
  };
  /** Change the call before it is approved */
  "POST /v1/approvals/{id}/edit": {
    body: {
      arguments?: unknown;
      reason?: string;
    };
    answer: Approval;
  };
  /** Approve it and grant calls like it */
  "POST /v1/approvals/{id}/grant": {
    body: undefined;
    answer: Record<string, unknown>;
  };
  /** Reject a call */
  "POST /v1/approvals/{id}/reject": {
    body: {
      reason?: string;
    };
    answer: Approval;
  };
  /** Take an approval back */
  "POST /v1/approvals/{id}/revoke": {
    body: {
      reason?: string;
    };
    answer: Approval;
  };
  /** Records */
  "GET /v1/audit": {
    body: undefined;
    answer: {
      records: Numbered[];
    };
  };
  /** The calls of one message */
  "POST /v1/batch": {
    body: {
      calls: Array<{
        /** An object, or a string that holds one. */
        arguments?: unknown;
        /** Runs the stored call of that confirmation, where no tool is named. */
        confirmation?: string;
        /** The caller's own id of the call. */
        id?: string;
        idempotencyKey?: string;
        model?: string;
        run?: {
          disabled?: string[];
          id?: string;
          readOnly?: boolean;
        };
        session?: string;
        /** SERVER/TOOL */
        tool?: string;
        /** W3C traceparent */
        trace?: string;
        /** How long to hold the answer while a person decides, such as 30s; at most 60s. */
        wait?: string;
      }>;
    } | {
      idempotencyKey?: string;
      /** What the model answered, in the form that shape names. */
      message: unknown;
      model?: string;
      run?: {
        disabled?: string[];
        id?: string;
        readOnly?: boolean;
      };
      /** Whose tools the model knows by their own names. */
      server?: string;
      session?: string;
      shape: "openai-chat" | "openai-functions" | "openai-responses" | "anthropic" | "gemini" | "bedrock" | "langchain" | "autogen" | "spring-ai" | "vercel" | "mcp" | "plain";
      /** W3C traceparent */
      trace?: string;
      /** Which message of the run this is. */
      turn?: string;
    };
    answer: {
      /** What is to be appended to the conversation. */
      messages?: unknown;
      results: Result[];
    };
  };
  /** Decide a call and run it if it is cleared */
  "POST /v1/calls": {
    body: {
      /** An object, or a string that holds one. */
      arguments?: unknown;
      /** Runs the stored call of that confirmation, where no tool is named. */
      confirmation?: string;
      /** The caller's own id of the call. */
      id?: string;
      idempotencyKey?: string;
      model?: string;
      run?: {
        disabled?: string[];
        id?: string;
        readOnly?: boolean;
      };
      session?: string;
      /** SERVER/TOOL */
      tool?: string;
      /** W3C traceparent */
      trace?: string;
      /** How long to hold the answer while a person decides, such as 30s; at most 60s. */
      wait?: string;
    };
    answer: Result;
  };
  /** How the channels are doing */
  "GET /v1/channels": {
    body: undefined;
    answer: {
      channels: unknown;
    };
  };
  /** Send a card that is of no approval */
  "POST /v1/channels/{name}/test": {
    body: Record<string, never>;
    answer: {
      channel: string;
      delivered: boolean;
    };
  };
  /** Leave to run a call, or several, oneself: only the verdict allow is leave */
  "POST /v1/claim": {
    body: {
      /** An object, or a string that holds one. */
      arguments?: unknown;
      /** Runs the stored call of that confirmation, where no tool is named. */
      confirmation?: string;
      /** The caller's own id of the call. */
      id?: string;
      idempotencyKey?: string;
      model?: string;
      run?: {
        disabled?: string[];
        id?: string;
        readOnly?: boolean;
      };
      session?: string;
      /** SERVER/TOOL */
      tool?: string;
      /** W3C traceparent */
      trace?: string;
      /** How long to hold the answer while a person decides, such as 30s; at most 60s. */
      wait?: string;
    } | {
      calls: Array<{
        /** An object, or a string that holds one. */
        arguments?: unknown;
        /** Runs the stored call of that confirmation, where no tool is named. */
        confirmation?: string;
        /** The caller's own id of the call. */
        id?: string;
        idempotencyKey?: string;
        model?: string;
        run?: {
          disabled?: string[];
          id?: string;
          readOnly?: boolean;
        };
        session?: string;
        /** SERVER/TOOL */
        tool?: string;
        /** W3C traceparent */
        trace?: string;
        /** How long to hold the answer while a person decides, such as 30s; at most 60s. */
        wait?: string;
      }>;
    } | {
      idempotencyKey?: string;
      /** What the model answered, in the form that shape names. */
      message: unknown;
      model?: string;
      run?: {
        disabled?: string[];
        id?: string;
        readOnly?: boolean;
      };
      /** Whose tools the model knows by their own names. */
      server?: string;
      session?: string;
      shape: "openai-chat" | "openai-functions" | "openai-responses" | "anthropic" | "gemini" | "bedrock" | "langchain" | "autogen" | "spring-ai" | "vercel" | "mcp" | "plain";
      /** W3C traceparent */
      trace?: string;
      /** Which message of the run this is. */
      turn?: string;
    };
    answer: CallVerdict | Verdicts;
  };
  /** What would be decided about a call, or several: no leave to run them */
  "POST /v1/decide": {
    body: {
      /** An object, or a string that holds one. */
      arguments?: unknown;
      /** Runs the stored call of that confirmation, where no tool is named. */
      confirmation?: string;
      /** The caller's own id of the call. */
      id?: string;
      idempotencyKey?: string;
      model?: string;
      run?: {
        disabled?: string[];
        id?: string;
        readOnly?: boolean;
      };
      session?: string;
      /** SERVER/TOOL */
      tool?: string;
      /** W3C traceparent */
      trace?: string;
      /** How long to hold the answer while a person decides, such as 30s; at most 60s. */
      wait?: string;
    } | {
      calls: Array<{
        /** An object, or a string that holds one. */
        arguments?: unknown;
        /** Runs the stored call of that confirmation, where no tool is named. */
        confirmation?: string;
        /** The caller's own id of the call. */
        id?: string;
        idempotencyKey?: string;
        model?: string;
        run?: {
          disabled?: string[];
          id?: string;
          readOnly?: boolean;
        };
        session?: string;
        /** SERVER/TOOL */
        tool?: string;
        /** W3C traceparent */
        trace?: string;
        /** How long to hold the answer while a person decides, such as 30s; at most 60s. */
        wait?: string;
      }>;
    } | {
      idempotencyKey?: string;
      /** What the model answered, in the form that shape names. */
      message: unknown;
      model?: string;
      run?: {
        disabled?: string[];
        id?: string;
        readOnly?: boolean;
      };
      /** Whose tools the model knows by their own names. */
      server?: string;
      session?: string;
      shape: "openai-chat" | "openai-functions" | "openai-responses" | "anthropic" | "gemini" | "bedrock" | "langchain" | "autogen" | "spring-ai" | "vercel" | "mcp" | "plain";
      /** W3C traceparent */
      trace?: string;
      /** Which message of the run this is. */
      turn?: string;
    };
    answer: CallVerdict | Verdicts;
  };
  /** Grants */
  "GET /v1/grants": {
    body: undefined;
    answer: Record<string, unknown>;
  };
  /** A grant */
  "GET /v1/grants/{id}": {
    body: undefined;
    answer: Record<string, unknown>;
  };
  /** Take a grant back */
  "POST /v1/grants/{id}/revoke": {
    body: {
      reason?: string;
    };
    answer: Record<string, unknown>;
  };
  /** What a coding agent tells its hook, answered in the agent's own form, always with status 200: an empty object, or a denial */
  "POST /v1/hooks/{agent}": {
    body: undefined;
    answer: Record<string, unknown>;
  };
  /** What was dispatched */
  "GET /v1/ledger": {
    body: undefined;
    answer: {
      claims: Claim[];
    };
  };
  /** Ask the tool what came of a call */
  "POST /v1/ledger/reconcile": {
    body: {
      key?: string;
    };
    answer: Found;
  };
  /** Settle an unknown outcome */
  "POST /v1/ledger/settle": {
    body: {
      as?: "succeeded" | "failed";
      evidence?: string;
      key?: string;
    };
    answer: {
      key: string;
      state: string;
    };
  };
  /** Accounts of channels */
  "GET /v1/links": {
    body: undefined;
    answer: {
      links: unknown;
    };
  };
  /** Link the account of a one-time code */
  "POST /v1/links": {
    body: {
      code?: string;
    };
    answer: Record<string, unknown>;
  };
  /** Take a link back */
  "POST /v1/links/remove": {
    body: {
      channel?: string;
      operator?: string;
    };
    answer: {
      channel: string;
      operator: string;
      removed: boolean;
    };
  };
  /** This document */
  "GET /v1/openapi.json": {
    body: undefined;
    answer: Record<string, unknown>;
  };
  /** What came of a claimed call */
  "POST /v1/outcome": {
    body: {
      claim: string;
      code?: "TOOL_ERROR" | "TOOL_TIMEOUT";
      message?: string;
      result?: unknown;
      shape?: "openai-chat" | "openai-functions" | "openai-responses" | "anthropic" | "gemini" | "bedrock" | "langchain" | "autogen" | "spring-ai" | "vercel" | "mcp" | "plain";
      status: "succeeded" | "failed" | "notSent" | "unknown";
      token: string;
    } | {
      outcomes: Array<{
        claim: string;
        code?: "TOOL_ERROR" | "TOOL_TIMEOUT";
        message?: string;
        result?: unknown;
        shape?: "openai-chat" | "openai-functions" | "openai-responses" | "anthropic" | "gemini" | "bedrock" | "langchain" | "autogen" | "spring-ai" | "vercel" | "mcp" | "plain";
        status: "succeeded" | "failed" | "notSent" | "unknown";
        token: string;
      }>;
    };
    answer: ToldOutcome | {
      results: ToldOutcome[];
    };
  };
  /** Which policy is in force */
  "GET /v1/policy": {
    body: undefined;
    answer: Record<string, unknown>;
  };
  /** End a rollback */
  "POST /v1/policy/resume": {
    body: Record<string, never>;
    answer: Record<string, unknown>;
  };
  /** Go back to a policy */
  "POST /v1/policy/rollback": {
    body: {
      reason?: string;
      /** Version, or start of a hash */
      to?: string;
    };
    answer: Record<string, unknown>;
  };
  /** The policies that can be gone back to */
  "GET /v1/policy/versions": {
    body: undefined;
    answer: {
      versions: unknown;
    };
  };
  /** Hide secrets in a text or in any JSON */
  "POST /v1/redact": {
    body: {
      text?: string;
      value?: unknown;
    };
    answer: {
      text?: string;
      value?: unknown;
    };
  };
  /** Start a run */
  "POST /v1/runs": {
    body: {
      disabled?: string[];
      environment?: Record<string, string>;
      /** Such as 8h */
      expires?: string;
      readOnly?: boolean;
    };
    answer: Run;
  };
  /** A run */
  "GET /v1/runs/{id}": {
    body: undefined;
    answer: Run;
  };
  /** End a run */
  "POST /v1/runs/{id}/end": {
    body: Record<string, never>;
    answer: Run;
  };
  /** The tools that this caller may see */
  "GET /v1/tools": {
    body: undefined;
    answer: {
      tools: ToolView[];
    } | {
      shape: string;
      /** As the model's API wants it. */
      tools: unknown;
    };
  };
  /** Switch a tool off */
  "POST /v1/tools/{server}/{tool}/disable": {
    body: undefined;
    answer: Choice;
  };
  /** Switch a tool on */
  "POST /v1/tools/{server}/{tool}/enable": {
    body: undefined;
    answer: Choice;
  };
}
