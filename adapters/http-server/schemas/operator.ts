import { z } from 'zod'
import type {
  CompanyUsage,
  DiskPart,
  EngineModel,
  EngineQueue,
  EngineState,
  Notice,
  Problem,
  ProblemCode,
  UsedPart,
  VerifyReport,
} from '../../../src/index.js'
import { contextLanguagesSchema } from './context-languages.js'
import { id, timestamp } from './fields.js'

/** The state of an engine, and the version of the server that answers. */
export interface InstallationState extends EngineState {
  readonly version: string
}

const count: z.ZodType<number> = z.int().min(0)

const usedPart: z.ZodType<UsedPart> = z.object({ used: count, limit: count }).meta({ id: 'UsedPart' })

export const companyUsageSchema: z.ZodType<CompanyUsage> = z
  .object({
    companyId: id,
    contexts: usedPart,
    users: usedPart,
    apiKeys: usedPart.meta({ description: 'Keys that are neither revoked nor expired' }),
    destinations: usedPart,
    documents: count,
    documentBytes: count.meta({ description: 'Bytes of the current versions of all documents' }),
    largestContexts: z
      .array(
        z.object({
          id,
          accountId: id,
          userId: id.meta({ description: 'The user who created the context' }),
          maxSizeBytes: count,
          documents: count,
          sizeBytes: count,
        }),
      )
      .meta({ description: 'The ten contexts with the most bytes, the largest first' }),
  })
  .meta({ id: 'CompanyUsage' })

const CHECKED = {
  contexts: count,
  documents: count,
  files: count,
  bytes: count,
  chunks: count,
  windows: count,
  collections: count,
  vectors: count,
  wordCollections: count,
  indexedChunks: count,
  jobs: count,
  models: count,
}

const problem: z.ZodType<Problem> = z
  .object({
    code: z.string().meta({ description: 'Stable: the codes of the doctor' }) as z.ZodType as z.ZodType<ProblemCode>,
    subject: z.object({
      contextId: id.optional(),
      documentId: id.optional(),
      documentUuid: z.string().optional(),
      file: z.string().optional(),
      collection: z.string().optional(),
      model: z.string().optional(),
      job: z.string().optional(),
    }) as z.ZodType as z.ZodType<Problem['subject']>,
    message: z.string(),
    repair: z.string().meta({ description: 'What `alcove doctor --repair` would do, or what the operator can do' }),
    isRepairable: z.boolean(),
    isRepaired: z.boolean(),
  })
  .meta({ id: 'DoctorProblem' })

const notice: z.ZodType<Notice> = z
  .object({
    code: z.literal('language-unknown'),
    subject: z.object({ contextId: id.optional(), model: z.string().optional() }) as z.ZodType as z.ZodType<
      Notice['subject']
    >,
    message: z.string(),
    advice: z.string().meta({ description: 'The commands to run, and what they cost' }),
    languages: contextLanguagesSchema.meta({ description: 'The same as data' }),
  })
  .meta({ id: 'DoctorNotice', description: 'A remark about data that are in order' })

export const verifyReportSchema: z.ZodType<VerifyReport> = z
  .object({ isHealthy: z.boolean(), checked: z.object(CHECKED), problems: z.array(problem), notices: z.array(notice) })
  .meta({ id: 'VerifyReport' })

const queue: z.ZodType<EngineQueue> = z
  .object({
    kind: z.string(),
    waiting: count.meta({ description: 'Due, and no worker holds them' }),
    running: count.meta({ description: 'A worker of any process holds them' }),
    delayed: count.meta({ description: 'Due later: the first run, or another one after a failure' }),
    retrying: count.meta({ description: 'Those of all states that have failed before' }),
    crashing: count.meta({ description: 'Those of all states that may crash the processes that run them' }),
    oldestWaitingSeconds: z.number().min(0),
    runningHere: count.meta({ description: 'Jobs that this process runs' }),
  })
  .meta({ id: 'EngineQueue' })

const bytes = count.nullable()

const diskPart: z.ZodType<DiskPart> = z
  .object({ part: z.enum(['database', 'files', 'vectors', 'words']), usedBytes: bytes, freeBytes: bytes })
  .meta({ id: 'DiskPart' })

const model: z.ZodType<EngineModel> = z
  .object({
    id: z.string(),
    isDefault: z.boolean(),
    kind: z.enum(['local', 'remote']),
    dimensions: count,
    windowTokens: count.meta({ description: 'Most tokens of one input' }),
    isLoaded: z.boolean().nullable().meta({ description: 'True if its weights are in memory; null if unknown' }),
    isAvailable: z.boolean().meta({ description: 'False while the server of a remote model is away' }),
  })
  .meta({ id: 'EngineModel' })

export const installationStateSchema: z.ZodType<InstallationState> = z
  .object({
    version: z.string(),
    started: timestamp,
    uptimeSeconds: count,
    roles: z.array(z.enum(['ingest', 'relay'])),
    queues: z.array(queue),
    pendingDeliveries: count,
    mails: z
      .enum(['sent', 'kept'])
      .meta({ description: '`kept` if mails stay where the operator finds them, such as in a folder' }),
    disk: z.array(diskPart),
    collections: z.object({ vectors: count.nullable(), words: count.nullable() }),
    rows: z.record(z.string(), count),
    models: z.array(model),
    startCheck: verifyReportSchema
      .nullable()
      .meta({ description: 'The cheap check after the start; null until it is finished' }),
    verification: z
      .object({ started: timestamp, documents: count.meta({ description: 'Documents that are checked' }) })
      .nullable()
      .meta({ description: 'The verification that runs in this process; null if none does' }),
  })
  .meta({ id: 'InstallationState' })
