import { Container } from 'inversify'
import 'reflect-metadata'
import { Contexts, RemoveContexts } from '../contexts/index.js'
import {
  DeleteDocument,
  DocumentEventEmitter,
  EmbeddingModels,
  GetDocument,
  IndexContextWords,
  IndexWords,
  LateWrites,
  ListDocuments,
  ProcessDocument,
  RetryDocument,
  UploadDocument,
  WaitForDocument,
} from '../documents/index.js'
import { limitsOf } from '../kernel/limits.js'
import { SecretBox } from '../kernel/secret-box.js'
import {
  PurgeAccount,
  PurgeCompany,
  PurgeContext,
  PurgeDocument,
  Sweep,
  SweepCollections,
} from '../maintenance/index.js'
import { Search } from '../search/index.js'
import { Authorizer } from '../tenancy/index.js'
import { bindTenancy } from './bind-tenancy.js'
import { bindAdministration, bindAudit, bindOutbox, bindVerify } from './bindings.js'
import type { EngineOptions } from './engine-options.js'
import {
  CLOCK,
  COMMON_PASSWORDS,
  FILE_STORE,
  HTTP_TRANSPORT,
  LEXICAL_INDEX,
  LIMITS,
  MAILER,
  ONE_TIME_PASSWORDS,
  PASSWORD_HASHER,
  STARTER_PROMPT_WRITER,
  STORAGE,
  TELEMETRY,
  TEXT_EXTRACTOR,
  TOKEN_SIGNER,
  VECTOR_INDEX,
} from './tokens.js'

/** Binds every use case to its ports. The container creates each object once, at its first use. */
export function createContainer(options: EngineOptions): Container {
  const container = new Container({ defaultScope: 'Singleton' })
  bindPorts(container, options)
  bindAudit(container, options)
  bindAdministration(container, options)
  bindTenancy(container, options)
  bindOutbox(container, options)
  bindContexts(container)
  bindIngestion(container)
  bindVerify(container)
  container
    .bind(Search)
    .toResolvedValue(
      (storage, vectors, words, models, authorizer, limits, telemetry) =>
        new Search(storage, { vectors, words }, models, authorizer, limits, telemetry),
      [STORAGE, VECTOR_INDEX, LEXICAL_INDEX, EmbeddingModels, Authorizer, LIMITS, TELEMETRY],
    )
  return container
}

function bindPorts(container: Container, options: EngineOptions): void {
  container.bind(STORAGE).toConstantValue(options.storage)
  container.bind(LEXICAL_INDEX).toConstantValue(options.lexicalIndex)
  container.bind(VECTOR_INDEX).toConstantValue(options.vectorIndex)
  container.bind(TEXT_EXTRACTOR).toConstantValue(options.textExtractor)
  container.bind(FILE_STORE).toConstantValue(options.fileStore)
  container.bind(STARTER_PROMPT_WRITER).toConstantValue(options.starterPromptWriter)
  container.bind(TOKEN_SIGNER).toConstantValue(options.tokenSigner)
  container.bind(PASSWORD_HASHER).toConstantValue(options.passwordHasher)
  container.bind(COMMON_PASSWORDS).toConstantValue(options.commonPasswords)
  container.bind(ONE_TIME_PASSWORDS).toConstantValue(options.oneTimePasswords)
  container.bind(MAILER).toConstantValue(options.mailer)
  container.bind(HTTP_TRANSPORT).toConstantValue(options.httpTransport)
  container.bind(CLOCK).toConstantValue(options.clock ?? { now: () => new Date() })
  container.bind(TELEMETRY).toConstantValue(options.telemetry ?? { record: () => undefined })
  container.bind(LIMITS).toConstantValue(limitsOf(options.limits))
  container.bind(SecretBox).toConstantValue(new SecretBox(options.secretKey))
  container.bind(EmbeddingModels).toConstantValue(new EmbeddingModels(options.embeddingModels))
}

function bindContexts(container: Container): void {
  container
    .bind(Contexts)
    .toResolvedValue(
      (storage, clock, authorizer, writer, models, limits) =>
        new Contexts(storage, clock, authorizer, writer, models, limits),
      [STORAGE, CLOCK, Authorizer, STARTER_PROMPT_WRITER, EmbeddingModels, LIMITS],
    )
  container.bind(RemoveContexts).toResolvedValue((clock) => new RemoveContexts(clock), [CLOCK])
}

function bindIngestion(container: Container): void {
  container.bind(DocumentEventEmitter).toResolvedValue((telemetry) => new DocumentEventEmitter(telemetry), [TELEMETRY])
  container
    .bind(UploadDocument)
    .toResolvedValue(
      (storage, files, extractor, clock, authorizer, limits) =>
        new UploadDocument(storage, files, extractor, clock, authorizer, limits),
      [STORAGE, FILE_STORE, TEXT_EXTRACTOR, CLOCK, Authorizer, LIMITS],
    )
  container
    .bind(ListDocuments)
    .toResolvedValue((storage, authorizer) => new ListDocuments(storage, authorizer), [STORAGE, Authorizer])
  container
    .bind(GetDocument)
    .toResolvedValue(
      (storage, files, authorizer) => new GetDocument(storage, files, authorizer),
      [STORAGE, FILE_STORE, Authorizer],
    )
  container
    .bind(DeleteDocument)
    .toResolvedValue(
      (storage, clock, authorizer) => new DeleteDocument(storage, clock, authorizer),
      [STORAGE, CLOCK, Authorizer],
    )
  container
    .bind(RetryDocument)
    .toResolvedValue(
      (storage, clock, authorizer) => new RetryDocument(storage, clock, authorizer),
      [STORAGE, CLOCK, Authorizer],
    )
  container
    .bind(WaitForDocument)
    .toResolvedValue(
      (storage, authorizer, events) => new WaitForDocument(storage, authorizer, events),
      [STORAGE, Authorizer, DocumentEventEmitter],
    )
  bindProcessing(container)
  container
    .bind(PurgeDocument)
    .toResolvedValue(
      (vectors, words, files) => new PurgeDocument([vectors, words], files),
      [VECTOR_INDEX, LEXICAL_INDEX, FILE_STORE],
    )
  container
    .bind(PurgeContext)
    .toResolvedValue(
      (vectors, words, files, clock) => new PurgeContext([vectors, words], files, clock),
      [VECTOR_INDEX, LEXICAL_INDEX, FILE_STORE, CLOCK],
    )
  container.bind(PurgeAccount).toResolvedValue((clock) => new PurgeAccount(clock), [CLOCK])
  container.bind(PurgeCompany).toResolvedValue((clock) => new PurgeCompany(clock), [CLOCK])
  container
    .bind(SweepCollections)
    .toResolvedValue(
      (storage, vectors, words) => new SweepCollections(storage, vectors, words),
      [STORAGE, VECTOR_INDEX, LEXICAL_INDEX],
    )
  container
    .bind(Sweep)
    .toResolvedValue(
      (storage, files, collections, telemetry) => new Sweep(storage, files, collections, telemetry),
      [STORAGE, FILE_STORE, SweepCollections, TELEMETRY],
    )
}

/** Binds the processing of documents into chunks, words and vectors. */
function bindProcessing(container: Container): void {
  container
    .bind(IndexWords)
    .toResolvedValue((storage, words) => new IndexWords(storage, words), [STORAGE, LEXICAL_INDEX])
  container
    .bind(LateWrites)
    .toResolvedValue(
      (storage, vectors, words) => new LateWrites(storage, vectors, words),
      [STORAGE, VECTOR_INDEX, LEXICAL_INDEX],
    )
  container
    .bind(ProcessDocument)
    .toResolvedValue(
      (storage, fileStore, extractor, index, words, events, models, lateWrites, clock) =>
        new ProcessDocument({ storage, fileStore, extractor, index, words, events }, models, lateWrites, clock),
      [
        STORAGE,
        FILE_STORE,
        TEXT_EXTRACTOR,
        VECTOR_INDEX,
        IndexWords,
        DocumentEventEmitter,
        EmbeddingModels,
        LateWrites,
        CLOCK,
      ],
    )
  container
    .bind(IndexContextWords)
    .toResolvedValue(
      (storage, index, words, lateWrites, telemetry) =>
        new IndexContextWords(storage, index, words, lateWrites, telemetry),
      [STORAGE, LEXICAL_INDEX, IndexWords, LateWrites, TELEMETRY],
    )
}
