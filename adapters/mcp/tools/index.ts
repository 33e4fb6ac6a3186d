import { LIST_CONTEXTS_TOOL } from './list-contexts-tool.js'
import { READ_DOCUMENT_TOOL } from './read-document-tool.js'
import { SEARCH_TOOL } from './search-tool.js'
import type { ReadingTool } from './tool.js'

/** The tools of a server, in the order in which clients list them. */
export const TOOLS: readonly ReadingTool[] = [SEARCH_TOOL, LIST_CONTEXTS_TOOL, READ_DOCUMENT_TOOL]
