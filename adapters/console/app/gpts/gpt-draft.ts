import { newKey, readTools, type ToolDraft, toToolsJson } from './tool-draft.js'
import type { Gpt } from './use-gpts.js'

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

export function haveSameTexts(one: GptDraft, other: GptDraft): boolean {
  return JSON.stringify(textsOf(one)) === JSON.stringify(textsOf(other))
}

/** The texts that a change sends. Prompts and tools that are as before stay out, so that the server keeps them as they are. */
export function changesOf(
  draft: GptDraft,
  stored: GptDraft,
): Omit<GptTexts, 'starterPrompts' | 'toolsJson'> & Partial<GptTexts> {
  const { starterPrompts, toolsJson, ...texts } = textsOf(draft)
  const before = textsOf(stored)
  return {
    ...texts,
    ...(JSON.stringify(starterPrompts) !== JSON.stringify(before.starterPrompts) && { starterPrompts }),
    ...(toolsJson !== before.toolsJson && { toolsJson }),
  }
}

/** Drafts that were left by no decision of the user, such as at the end of a login. They live as long as the page. */
const LEFT = new Map<string, GptDraft>()

/** Keeps a draft until somebody with the same key takes it. */
export function keepDraft(key: string, draft: GptDraft | undefined): void {
  if (draft === undefined) LEFT.delete(key)
  else LEFT.set(key, draft)
}

export function keptDraft(key: string): GptDraft | undefined {
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
