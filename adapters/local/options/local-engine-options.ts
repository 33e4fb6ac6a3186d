import { resolve } from 'node:path'
import type { Knex } from 'knex'
import { type EngineOptions, InvalidInputError } from '../../../src/index.js'
import type { TextRecognizer } from '../../../src/ports/index.js'
import type { HttpRerankerOptions } from '../../http-reranker/index.js'
import type { HttpsTransportOptions } from '../../https-transport/index.js'
import type { OpenAiModelOptions } from '../../openai/index.js'

export interface LocalEngineOptions extends Partial<Omit<EngineOptions, 'isAlone' | 'isShared'>> {
  /** The folder for all data of the engine. The engine creates it if it is missing. */
  readonly dataDir: string
  /**
   * The folder for temporary files: those of LanceDB and SQLite, the parts of a backup, and the copies of an evaluation.
   * The engine creates it if it is missing, and uses a folder of its own in it. Default: the data folder. An upload that
   * is being received, and the file of a backup, are always beside their final place.
   */
  readonly tempDir?: string
  /**
   * Folders of embedding models, in the layout of transformers.js. New contexts use the first one. Default: the bundled
   * all-MiniLM-L6-v2, and the models that `addModel` added to the folder.
   */
  readonly modelDirs?: readonly string[]
  /**
   * Embedding models on servers with the protocol of OpenAI. New contexts use the first one. The models of `modelDirs`
   * stay for contexts that have them.
   */
  readonly remoteModels?: readonly OpenAiModelOptions[]
  /**
   * A reranker on a server with the protocol of `/v1/rerank`, such as vLLM, llama.cpp or text-embeddings-inference. It
   * orders the best chunks of each search once more. Default: none.
   */
  readonly remoteReranker?: HttpRerankerOptions
  /**
   * The languages of scans and photos, as codes of Tesseract joined by `+`, such as `eng+deu`. The engine then reads
   * pictures, and pages of a PDF that are one picture. Needs the packages `tesseract.js` and `@tesseract.js-data/<code>` for
   * each language. Default: text in pictures is not read.
   */
  readonly ocr?: string
  /** Reads the text in pictures in the place of Tesseract. The engine closes it. Default: the recogniser of `ocr`. */
  readonly textRecognizer?: TextRecognizer
  /** File with the keys that sign access tokens. Default: `keys/signing-keys.json` in the folder, with mode 0600. */
  readonly signingKeyFile?: string
  /**
   * File with the key that encrypts the signing secrets of destinations: 32 bytes as base64, for example from
   * `openssl rand -base64 32`. Default: `keys/secret-key` in the folder, with mode 0600.
   */
  readonly secretKeyFile?: string
  /**
   * Connections to the host's own database, SQLite or PostgreSQL, for the tables of the engine. The host can then
   * record events in its own transactions. Default: `alcove.sqlite` in the folder. The host destroys the connections
   * after it closes the engine. Engines of other folders may work on the same database. So the jobs of a dead process
   * continue only after their leases expire.
   */
  readonly knex?: Knex
  /**
   * A PostgreSQL database for all relational data, such as `postgresql://user:password@host:5432/database`. Any number
   * of processes may share one database and one folder, which contains files and keys for all of them. If the server
   * has pgvector 0.8 or newer, the database contains the vectors. Otherwise the folder does, and the processes write
   * there in turn. Default: `alcove.sqlite` in the folder.
   */
  readonly databaseUrl?: string
  /**
   * A bucket of S3, or of a server with the same protocol, for the uploaded files: `s3://bucket` or
   * `s3://bucket/prefix`. Needs the packages `@aws-sdk/client-s3` and `@aws-sdk/lib-storage`. They read server, region
   * and credentials from the environment (`AWS_ENDPOINT_URL_S3`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`, ...). The choice
   * is made when the database is created and stored in it. Default: `files` in the folder.
   */
  readonly filesUrl?: string
  /** The prefix of every table name. Default: `alcove_`. */
  readonly tablePrefix?: string
  /** The addresses that events may be sent to besides public ones, and those that are never a destination. */
  readonly webhooks?: Pick<
    HttpsTransportOptions,
    'allow' | 'deny' | 'ownEndpoints' | 'resolver' | 'certificateAuthorities'
  >
}

/** Callers in plain JavaScript may pass any value. An empty path would mean the current folder. */
export function dataDirOf(options: unknown): string {
  const { dataDir } = (options ?? {}) as { readonly dataDir?: unknown }
  if (typeof dataDir === 'string' && dataDir.trim() !== '') return resolve(dataDir)
  throw new InvalidInputError('dataDir', "must be the path of a folder, such as openLocalEngine({ dataDir: './data' })")
}
