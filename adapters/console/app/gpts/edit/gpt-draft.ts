import { useEffect, useState } from 'react'
import { newKey, readTools, type ToolDraft, toToolsJson } from '../tools/tool-draft.js'
import type { Gpt } from '../use-gpts.js'

export interface PromptDraft {
  readonly key: string
  readonly text: string
}

/** The texts of a context while the user edits them. */
export interface GptDraft {
  readonly name: string
  readonly caption: string
  readonly description: string
  readonly prompts: readonly PromptDraft[]
  readonly tools: readonly ToolDraft[]
  /** The JSON that the user has typed, as long as it does not make tools. */
  readonly brokenToolsJson?: string | undefined
}

/** The tools of a draft, or the text that is to become them. */
export type ToolsOfDraft = Pick<GptDraft, 'tools' | 'brokenToolsJson'>

export const EMPTY_DRAFT: GptDraft = { name: '', caption: '', description: '', prompts: [], tools: [] }

/** The draft of a stored context, whose tools the server has checked. */
export function draftOf({ name, caption, description, starterPrompts, toolsJson }: Gpt): GptDraft {
  const read = readTools(toolsJson)
  return {
    name,
    caption,
    description,
    prompts: starterPrompts.map((text) => ({ key: newKey(), text })),
    ...('tools' in read ? { tools: read.tools } : { tools: [], brokenToolsJson: toolsJson }),
  }
}

interface GptTexts {
  readonly name: string
  readonly caption: string
  readonly description: string
  readonly starterPrompts: string[]
  readonly toolsJson: string
}

/** The texts of a draft as the server stores them. */
export function textsOf({ name, caption, description, prompts, tools, brokenToolsJson }: GptDraft): GptTexts {
  return {
    name,
    caption,
    description,
    starterPrompts: prompts.map(({ text }) => text),
    toolsJson: brokenToolsJson ?? toToolsJson(tools),
  }
}

function haveSameTexts(one: GptDraft, other: GptDraft): boolean {
  return JSON.stringify(textsOf(one)) === JSON.stringify(textsOf(other))
}

/** The parts of a context that change by themselves, by the names of the server. */
const PARTS = ['name', 'caption', 'description', 'starterPrompts', 'toolsJson'] as const

export type GptPart = (typeof PARTS)[number]

/** The parts in which two drafts differ. */
function differingParts(one: GptDraft, other: GptDraft): readonly GptPart[] {
  const [texts, others] = [textsOf(one), textsOf(other)]
  return PARTS.filter((part) => JSON.stringify(texts[part]) !== JSON.stringify(others[part]))
}

/** A draft with some parts of another one. */
export function withParts(draft: GptDraft, parts: readonly GptPart[], other: GptDraft): GptDraft {
  const { name, caption, description, prompts, tools, brokenToolsJson } = other
  return {
    ...draft,
    ...(parts.includes('name') && { name }),
    ...(parts.includes('caption') && { caption }),
    ...(parts.includes('description') && { description }),
    ...(parts.includes('starterPrompts') && { prompts }),
    ...(parts.includes('toolsJson') && { tools, brokenToolsJson }),
  }
}

/** The parts that a user has changed since `base`, and the newest of all others. */
function mergedOf(draft: GptDraft, base: GptDraft, newest: GptDraft): GptDraft {
  const own = differingParts(draft, base)
  return withParts(
    draft,
    differingParts(base, newest).filter((part) => !own.includes(part)),
    newest,
  )
}

/** Two users have changed the same parts of a context, to different texts. */
export class GptConflict extends Error {
  override readonly name = 'GptConflict'
  readonly newest: GptDraft
  readonly parts: readonly GptPart[]

  constructor(newest: GptDraft, parts: readonly GptPart[]) {
    super(`changed by somebody else too: ${parts.join(', ')}`)
    this.newest = newest
    this.parts = parts
  }
}

/**
 * The texts that a change sends: those that the user has changed. The server wants name, caption and description always,
 * so that the newest of them go along.
 *
 * @throws GptConflict if somebody else has changed the same since `base`
 */
export function changesOf(
  draft: GptDraft,
  base: GptDraft,
  newest: GptDraft,
): Omit<GptTexts, 'starterPrompts' | 'toolsJson'> & Partial<GptTexts> {
  const own = differingParts(draft, base)
  const theirs = differingParts(base, newest)
  const different = differingParts(draft, newest)
  const conflicts = own.filter((part) => theirs.includes(part) && different.includes(part))
  if (conflicts.length > 0) throw new GptConflict(newest, conflicts)
  const { starterPrompts, toolsJson, ...texts } = textsOf(mergedOf(draft, base, newest))
  return {
    ...texts,
    ...(own.includes('starterPrompts') && { starterPrompts }),
    ...(own.includes('toolsJson') && { toolsJson }),
  }
}

interface KeptDraft {
  readonly draft: GptDraft
  /** The stored texts from which it began. */
  readonly base: GptDraft
}

/** Drafts that were left by no decision of the user, such as at the end of a login. They live as long as the page. */
const LEFT = new Map<string, KeptDraft>()

/** Keeps a draft until somebody with the same key takes it. */
export function keepDraft(key: string, kept: KeptDraft | undefined): void {
  if (kept === undefined) LEFT.delete(key)
  else LEFT.set(key, kept)
}

function keptDraft(key: string): KeptDraft | undefined {
  return LEFT.get(key)
}

/** The fields of a form of the draft, by the names of the server. */
export function fieldsOf({ prompts, tools }: GptDraft): readonly string[] {
  return [
    ...['name', 'caption', 'description', 'starterPrompts', 'toolsJson'],
    ...prompts.map((_, index) => `starterPrompts[${index}]`),
    ...tools.flatMap(({ parameters }, index) => [
      ...['id', 'name', 'description', 'agentId'].map((member) => `toolsJson[${index}].${member}`),
      ...parameters.flatMap((_, place) =>
        ['paramName', 'type', 'description'].map((member) => `toolsJson[${index}].parameters[${place}].${member}`),
      ),
    ]),
  ]
}

interface Editing {
  /** The texts that the user sees. */
  readonly draft: GptDraft
  /** The stored texts from which the draft began. */
  readonly base: GptDraft
}

interface EditedGpt extends Editing {
  readonly isChanged: boolean
  /** True if the draft is one that was left before. */
  readonly isRestored: boolean
  readonly edit: (changed: (present: GptDraft) => Partial<GptDraft>) => void
  /** Goes on from newer stored texts: every part that differs from `since` stays as the user has it. */
  readonly rebase: (newest: GptDraft, since: GptDraft) => void
  readonly discard: () => void
}

/**
 * The draft of a form. A form without changes follows the stored texts; one with changes stays as it is.
 *
 * @param key names the draft of this user: it comes back if the login ends before it is saved
 */
export function useGptDraft(key: string, stored: GptDraft): EditedGpt {
  const [isRestored, setRestored] = useState(() => keptDraft(key) !== undefined)
  const [editing, setEditing] = useState<Editing>(() => keptDraft(key) ?? { draft: stored, base: stored })
  const [before, setBefore] = useState(stored)
  const { draft, base } = editing
  const isChanged = !haveSameTexts(draft, base)
  if (before !== stored) {
    setBefore(stored)
    if (!isChanged) setEditing({ draft: mergedOf(draft, base, stored), base: stored })
  }
  useEffect(() => {
    keepDraft(key, isChanged ? { draft, base } : undefined)
  }, [key, isChanged, draft, base])
  return {
    draft,
    base,
    isChanged,
    isRestored,
    edit: (changed) =>
      setEditing((present) => ({ ...present, draft: { ...present.draft, ...changed(present.draft) } })),
    rebase: (newest, since) => {
      setRestored(false)
      setEditing((present) => ({ draft: mergedOf(present.draft, since, newest), base: newest }))
    },
    discard: () => setEditing({ draft: stored, base: stored }),
  }
}
