import {
  type GetPromptResult,
  type ListPromptsResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import type { Context, Session } from '../../src/index.js'
import { escapeLine } from '../../src/ports/index.js'
import { parseCursor, toCursor } from './cursor.js'
import type { OfferedContexts } from './offered-contexts.js'

/** The contexts of one page. A context has one prompt for any question, and up to 50 starter prompts. */
const PAGE_SIZE = 20
const MAX_QUESTION = 32_768
const NAME = /^context-(\d{1,15})(?:-starter-(\d{1,3}))?$/

/** Lists the prompts of contexts. @throws ProtocolError for an invalid cursor */
export async function listPrompts(
  session: Session,
  offered: OfferedContexts,
  cursor: string | undefined,
): Promise<ListPromptsResult> {
  const [after = 0] = parseCursor(cursor, 1)
  const { contexts, nextAfter } = await offered.page(session, { after, limit: PAGE_SIZE })
  const prompts = contexts.flatMap(promptsOf)
  return { prompts, ...(nextAfter !== null && { nextCursor: toCursor([nextAfter]) }) }
}

function promptsOf(context: Context): Prompt[] {
  const { id, name, caption, starterPrompts } = context
  const question = { name: 'question', description: 'The question to answer from the documents', required: true }
  return [
    { name: `context-${id}`, title: name, description: caption || `Ask "${name}"`, arguments: [question] },
    ...starterPrompts.map((starter, index) => ({
      name: `context-${id}-starter-${index + 1}`,
      title: `${name}: ${starter}`,
      description: starter,
    })),
  ]
}

/**
 * Makes the message of a prompt: the instructions of the context, the way to its documents, and the question.
 *
 * @throws ProtocolError for an unknown name, and without a question
 */
export async function getPrompt(
  session: Session,
  offered: OfferedContexts,
  { name, arguments: given = {} }: { readonly name: string; readonly arguments?: Record<string, string> | undefined },
): Promise<GetPromptResult> {
  const [, contextId, starter] = NAME.exec(name) ?? []
  if (contextId === undefined) throw unknownPrompt(name)
  const context = await offered.get(session, Number(contextId))
  const question = starter === undefined ? requireQuestion(given) : context.starterPrompts[Number(starter) - 1]
  if (question === undefined) throw unknownPrompt(name)
  const search = `Search the documents of the context "${escapeLine(context.name)}" with the tool search and contextIds [${context.id}] before you answer, and cite the documents that you use.`
  const parts = [context.description, search, question].filter((part) => part.trim() !== '')
  return {
    description: context.caption || context.name,
    messages: [{ role: 'user', content: { type: 'text', text: parts.join('\n\n') } }],
  }
}

function requireQuestion({ question = '' }: Readonly<Record<string, string>>): string {
  if (question.trim() === '') throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'question: is required')
  if (question.length <= MAX_QUESTION) return question
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `question: must have at most ${MAX_QUESTION} characters`)
}

function unknownPrompt(name: string): ProtocolError {
  const message = `no prompt has the name ${name.slice(0, 100)}: prompts/list has the names`
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}
