// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Pauses of LangGraph. It hands the values that people resumed a task with to its
// questions by their order alone. A pause of ours is therefore marked in that list:
// the yes that was meant for it must not answer a question that the tool itself puts.
import { getConfig, interrupt } from "@langchain/langgraph";

interface Scratchpad { interruptCounter: number; resume: unknown[]; nullResume?: unknown }
interface Inner { __pregel_scratchpad?: Scratchpad; __pregel_send?: (writes: ReadonlyArray<readonly [string, unknown]>) => void }

const mark = "toolverdict/pause";

/** Whether this call paused before: not, without an answer, or with one. */
export type Before = "none" | "open" | "answered";

/** Goes past the pauses that this task had, so that the tool's questions get what was meant for them. */
export function before(): Before {
  const pad = inner()?.__pregel_scratchpad;
  let was: Before = "none";
  while (pad && marked(pad.resume[pad.interruptCounter + 1])) {
    pad.interruptCounter++;
    was = "open";
    if (pad.interruptCounter + 1 >= pad.resume.length && pad.nullResume === undefined) break;
    interrupt(undefined); // takes the value
    was = "answered";
  }
  return was;
}

/** Pauses, or takes the value that is there. */
export function ask(waiting: unknown, was: Before): void {
  if (was === "none") add({ [mark]: true });
  interrupt(waiting);
}

/** Ends a pause that nobody answered. */
export function fill(): void { add(null); }

function add(v: unknown): void {
  const of = inner();
  const pad = of?.__pregel_scratchpad;
  // Without the list our pause could not be told from the tool's.
  if (!pad || !of.__pregel_send) throw new Error("nothing can be paused here: there is no graph, or it is of a version that is not known");
  pad.resume.push(v);
  pad.interruptCounter++;
  of.__pregel_send([["__resume__", pad.resume]]);
}

function inner(): Inner | undefined {
  return (getConfig() as { configurable?: Inner } | undefined)?.configurable;
}

function marked(v: unknown): boolean {
  return typeof v === "object" && v !== null && Object.hasOwn(v, mark);
}
