import { z } from 'zod'
import { DATABASE, DATABASE_ID } from '../../local/folder/data-dir.js'
import { TABLE_PREFIX } from '../../node-kit/index.js'

/**
 * A backup is a plain tar archive. Its first entry is the manifest. Its last entry has the SHA-256 of every other
 * entry, in the format of `sha256sum`.
 */
export const MANIFEST = 'manifest.json'
export const CHECKSUMS = 'SHA256SUMS'
export const SECRET_KEY = 'keys/secret-key'

export const FORMAT = 'alcove-backup'
/** Raised when older versions cannot restore the format. Versions 1 and 2 were never released. */
export const FORMAT_VERSION = 3

/** The bytes that are read and hashed at once: about a millisecond of work. */
export const PIECE_BYTES = 262_144
export const MAX_MANIFEST_BYTES = 1_048_576

const COUNT = z.number().int().nonnegative()

/** The part of the manifest that is checked first. */
export const FORMAT_SCHEMA: z.ZodType<{ format: string; version: number }> = z.object({
  format: z.literal(FORMAT),
  version: z.number().int().positive(),
})

/** The contents of a backup. */
export interface BackupCounts {
  /** The moment of the backup, ISO 8601. */
  readonly created: string
  readonly contexts: number
  readonly documents: number
  /** Collections of vectors. */
  readonly collections: number
  readonly vectors: number
  /** Collections of words. */
  readonly wordCollections: number
  /** Chunks whose words are in the backup. The engine that opens the restored folder indexes the others. */
  readonly indexedChunks: number
}

/** The description of a backup, in its first entry. */
export interface BackupManifest extends BackupCounts {
  readonly format: typeof FORMAT
  readonly version: number
  readonly tablePrefix: string
  /** Deliveries that were not finished. */
  readonly pendingDeliveries: number
}

export const MANIFEST_SCHEMA: z.ZodType<BackupManifest> = z.object({
  format: z.literal(FORMAT),
  version: z.literal(FORMAT_VERSION),
  created: z.iso.datetime(),
  tablePrefix: z.string().regex(TABLE_PREFIX),
  contexts: COUNT,
  documents: COUNT,
  collections: COUNT,
  vectors: COUNT,
  wordCollections: COUNT,
  indexedChunks: COUNT,
  pendingDeliveries: COUNT,
})

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
/** A name in a folder: neither `.` nor `..`, and without characters that are special to a file system. */
const NAME = String.raw`(?!\.{1,2}(?:/|$))[\w.=@+-]+`

/**
 * The allowed names in an archive. Other names are refused, so that a restore never writes outside its folder. A header
 * has room for 155 bytes, a slash and 100 bytes. A longer name needs an entry of its own, which a restore refuses.
 */
const ENTRY_NAME = new RegExp(
  `^(?=(?:.{1,155}/)?.{1,100}$)(?:${DATABASE}|${DATABASE_ID}|keys/${NAME}|files/[0-9a-f]{2}/${UUID}|(?:vectors|words)(?:/${NAME})+)$`,
)

export function isEntryName(name: string): boolean {
  return ENTRY_NAME.test(name)
}

/** The line of an entry in the checksums. */
export function checksumLine(sha256: string, name: string): string {
  return `${sha256}  ${name}\n`
}
