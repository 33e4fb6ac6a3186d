import type { ProcessLocks, Telemetry } from '../../src/ports/index.js'

/** How a vector index on LanceDB behaves. */
export interface LanceDbOptions {
  /**
   * Bytes from which on a collection is compacted in a process of its own, whose memory ends with it. Default 16 MiB:
   * smaller ones are done sooner than a process has begun.
   */
  readonly compactApartFromBytes?: number
  /**
   * Whether tables are put in order: fragments merged, indexes built, old versions removed; default true. Without it
   * only additions, deletions and drops change what is on the disk, for whoever looks at a folder as it is.
   */
  readonly maintains?: boolean
  /**
   * Of all processes that work on the tables at the same time, of which each then sees what the others have written.
   * They are closed with the index. Default: this process is alone.
   */
  readonly locks?: ProcessLocks
  /** For an object store: what LanceDB needs beside the environment, such as `aws_endpoint`. */
  readonly storageOptions?: Readonly<Record<string, string>>
  /** Hears what could not be put in order (`vectors.maintenance.failed`, `vectors.index.failed`): it is tried again. */
  readonly telemetry?: Telemetry
  /**
   * Rows from which on a collection gets a vector index. Default 10,000: a scan takes twice as long by then, and 1.4
   * times as long for 5,000. One whose dimensions are not a multiple of 8 never gets one.
   */
  readonly indexFromRows?: number
}
