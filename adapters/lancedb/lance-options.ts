import type { ProcessLocks, Telemetry } from '../../src/ports/index.js'

/** The options of a vector index on LanceDB. */
export interface LanceDbOptions {
  /**
   * A collection of at least this many bytes is compacted in a separate process, whose memory ends with it. Default: 16
   * MiB. A smaller one is done before a process has started.
   */
  readonly compactApartFromBytes?: number
  /**
   * True to maintain tables: merge fragments, build indexes, remove old versions. Default: true. Without maintenance,
   * only additions, deletions and drops change the files, so a tool can read a folder as it is.
   */
  readonly maintains?: boolean
  /**
   * The locks of all processes that work on the tables at the same time. Each process then sees the writes of the
   * others. The index closes the locks. Default: this process is alone.
   */
  readonly locks?: ProcessLocks
  /** Options for an object store that LanceDB needs beside the environment, such as `aws_endpoint`. */
  readonly storageOptions?: Readonly<Record<string, string>>
  /**
   * Receives reports of maintenance that failed (`vectors.maintenance.failed`, `vectors.index.failed`). It is retried.
   */
  readonly telemetry?: Telemetry
  /**
   * A collection of at least this many rows gets a vector index. Default: 10,000, where a scan takes twice as long as a
   * search by the index; for 5,000 rows it takes 1.4 times as long. A collection whose dimensions are not a multiple of
   * 8 never gets one.
   */
  readonly indexFromRows?: number
}
