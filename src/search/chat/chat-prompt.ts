import type { ChatTool } from '../../contexts/index.js'
import type { PageRange } from '../../documents/index.js'
import type { DocumentMetadata } from '../../ports/index.js'
import type { Passage } from '../densest-passage.js'

/** A message of a chat, in the form that the APIs of models share. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** A part of a document that a prompt quotes: windows of chunks, or chunks, that overlap or touch. */
export interface ChatSource {
  /**
   * The number by which an answer cites it, from 1. The document with the best passage comes first. Passages of windows of
   * one document stand in the order of its text, those of chunks by their score.
   */
  readonly number: number
  /** Id of the document. */
  readonly docId: number
  /** The document's `fileName`. */
  readonly uuid: string
  /** The document's file name at upload. */
  readonly originalName: string
  /** The name to show. */
  readonly displayName: string
  /** Offset of `content` in the document's text, in UTF-16 units. */
  readonly start: number
  /** Offset after the end of `content`, in UTF-16 units. */
  readonly end: number
  /** The pages, sheets or slides that its chunks touch; null if the format has none. */
  readonly pages: PageRange | null
  /** The headings above the beginning of its first chunk, the outermost first; empty if none are known. */
  readonly headings: readonly string[]
  /** The document's metadata. */
  readonly metadata: DocumentMetadata
  /** The quoted text, an exact slice of the document's text. */
  readonly content: string
  /** The part of `content` that matched best, in UTF-16 units. */
  readonly match: Passage
  /** Highest cosine of prompt and chunk, 0 to 1. */
  readonly similarity: number
  /** Highest score of its chunks, 0 to 1. */
  readonly score: number
}

/** A prompt that can be sent to a model as it is. */
export interface ChatPrompt {
  /** The instructions as `system`, the history, and last the question as `user`, with the passages before it. */
  readonly messages: readonly ChatMessage[]
  /** The quoted passages, in the order of their numbers. */
  readonly sources: readonly ChatSource[]
  /** The context's tools, in the form of OpenAI's chat completions; empty if there are none. */
  readonly tools: readonly ChatTool[]
  /** Tokens of messages and tools together, by the counter of the call. At most `maxTokens`. */
  readonly tokens: number
  /** The prompt leaves these out, because there was no room. */
  readonly omitted: {
    /** Found chunks of which the prompt has nothing. */
    readonly chunks: number
    /** Messages of the history. */
    readonly messages: number
  }
}
