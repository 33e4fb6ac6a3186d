import type { RecognizedText } from '../../src/ports/index.js'

/** The settings of a process, as its first argument. */
export interface RecognitionSettings {
  /** Codes of the languages. */
  readonly languages: readonly string[]
  /** The folder with their data. */
  readonly languageFolder: string
  /** The folder with the data for the orientation of pages, if there is one. */
  readonly orientationFolder?: string
  readonly maxMemoryMb: number
}

/** Messages to the process. */
export type PictureMessage =
  /** The next bytes of a picture. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  /** The picture is whole. */
  | { readonly type: 'recognize' }

/** The answer to a picture. `isSpent`: an error may have damaged the process, which must read no other picture. */
export type RecognitionAnswer =
  | ({ readonly type: 'recognized'; readonly isSpent: boolean } & RecognizedText)
  /** The picture cannot be read. */
  | { readonly type: 'refused'; readonly cause: 'damaged' | 'too-many-pixels'; readonly isSpent: boolean }

/** Messages of the process. */
export type RecognitionMessage =
  | RecognitionAnswer
  /** The process ends next. */
  | { readonly type: 'died'; readonly cause: 'memory' | 'start' }
