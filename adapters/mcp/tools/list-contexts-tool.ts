import { z } from 'zod'
import { escapeLine, idSchema, integerSchema, objectSchema } from '../../../src/ports/index.js'
import { defineTool, type ReadingTool } from './tool.js'

const PAGE_SIZE = 50
/** The most characters of a description in the list: a description may have 100,000. */
const MAX_DESCRIPTION = 1_000

const INPUT = objectSchema({
  after: integerSchema({ min: 0 })
    .optional()
    .meta({ description: 'nextAfter of the answer before. Default: the first page' }),
})

const OUTPUT = z.object({
  contexts: z.array(
    z.object({
      id: idSchema(),
      name: z.string(),
      caption: z.string().meta({ description: 'What the context is for, in a few words' }),
      description: z.string().meta({ description: 'Instructions for answers from this context' }),
    }),
  ),
  nextAfter: idSchema().nullable().meta({ description: 'after of the next page; null on the last one' }),
})

export const LIST_CONTEXTS_TOOL: ReadingTool = defineTool({
  name: 'list_contexts',
  title: 'List contexts',
  description:
    'Lists the contexts: collections of documents, each with its purpose and with instructions for answers from it.',
  input: INPUT,
  output: OUTPUT,
  call: async ({ after = 0 }, { sessions, offered }) => {
    const page = await sessions.forReading(async (session) => await offered.page(session, { after, limit: PAGE_SIZE }))
    const contexts = page.contexts.map(({ id, name, caption, description }) => ({
      id,
      name,
      caption,
      description: shorten(description),
    }))
    const lines = contexts.map(({ id, name, caption }) =>
      escapeLine(`${id}: ${name}${caption === '' ? '' : ` (${caption})`}`),
    )
    if (page.nextAfter !== null) lines.push(`More contexts follow: list_contexts with after ${page.nextAfter}.`)
    const text = lines.length === 0 ? 'No context is there yet.' : lines.join('\n')
    return { output: { contexts, nextAfter: page.nextAfter }, text }
  },
})

function shorten(description: string): string {
  if (description.length <= MAX_DESCRIPTION) return description
  return `${description.slice(0, MAX_DESCRIPTION).replace(/[\uD800-\uDBFF]$/, '')}…`
}
