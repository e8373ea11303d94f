// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Mastra: createTool, whose tools are claimed where they run. Where a person must
// approve, the tool suspends itself: the framework's own approval does not say for
// which arguments it was given.
import { NotBegun, type Gate } from "./gate.js";
import { Guard, type Guarding as Common } from "./guard.js";
import { whole } from "./pieces.js";
import { Refused } from "./refused.js";

export interface Guarding extends Common {
  /**
   * Suspend the run where a person must approve, with what waits as the payload;
   * resume it once that person did. Needs a storage. Otherwise the model is told
   * that the call waits.
   */
  pause?: boolean;
}

/** What a suspended run says it waits for. */
export interface Waiting {
  type: "toolverdict";
  tool: string;
  callId: string | undefined;
  confirmation: NonNullable<Refused["confirmation"]>;
}

export interface Guarded {
  /** The framework's createTool(), whose tools run only what the gate gave leave for. The gate knows a tool by its id. */
  define<F extends (options: any) => unknown>(createTool: F): F;
}

type Suspend = (payload: unknown, options?: unknown) => Promise<unknown>;
interface Pausing { suspend?: Suspend; toolCallId?: string; resumeData?: unknown; suspendPayload?: unknown }
interface Context extends Pausing { agent?: Pausing; workflow?: Pausing; abortSignal?: AbortSignal }
interface Options { id: string; execute?: (input: unknown, context: Context | undefined) => unknown }

/** Guards tools of one conversation. */
export function guard(gate: Gate, of: Guarding): Guarded {
  const g = new Guard(gate, of);
  return {
    define: <F extends (options: any) => unknown>(createTool: F): F => ((options: Options) => createTool(guarded(g, of.pause ?? false, options))) as F,
  };
}

function guarded(g: Guard, pause: boolean, options: Options): Options {
  const { id, execute } = options;
  if (typeof execute !== "function") throw new TypeError(`the tool ${JSON.stringify(id)} has no execute: what is run elsewhere cannot be claimed here`);
  return {
    ...options,
    execute: async (input, context) => {
      const call = g.call(id, context?.agent?.toolCallId, input);
      const watched = watch(context);
      try {
        return (await g.run(call, async (args) => {
          const out = await whole(execute(args, watched.context));
          if (watched.suspended()) throw new NotBegun(new Suspended(out));
          return out;
        }, context?.abortSignal)).value;
      } catch (e) {
        if (e instanceof Suspended) return e.out;
        const suspend = context?.agent?.suspend ?? context?.workflow?.suspend ?? context?.suspend;
        if (!pause || !suspend || !(e instanceof Refused) || !e.waits) throw e;
        return await suspend({ type: "toolverdict", tool: call.tool!, callId: call.id, confirmation: e.confirmation! } satisfies Waiting);
      }
    },
  };
}

/** The tool suspended itself: it comes again when it is resumed, and is claimed then. */
class Suspended extends Error {
  constructor(readonly out: unknown) { super("the tool suspended itself"); }
}

/** A context that notes whether the tool suspends itself, which it does without throwing. */
function watch(context: Context | undefined): { context: Context | undefined; suspended: () => boolean } {
  let suspended = false;
  if (!context) return { context, suspended: () => false };
  // Who went on after our pause answered no question of the tool's.
  const ours = [context, context.agent, context.workflow].some((of) => (of?.suspendPayload as Partial<Waiting> | undefined)?.type === "toolverdict");
  const noting = <T extends Pausing>(all: T): T => {
    const of = { ...all };
    if (ours) {
      delete of.resumeData;
      delete of.suspendPayload;
    }
    const { suspend } = of;
    if (typeof suspend !== "function") return of;
    return { ...of, suspend: (...args: Parameters<Suspend>) => { suspended = true; return suspend.apply(all, args); } };
  };
  const outer = noting(context);
  return {
    context: { ...outer, ...(context.agent ? { agent: noting(context.agent) } : {}), ...(context.workflow ? { workflow: noting(context.workflow) } : {}) },
    suspended: () => suspended,
  };
}
