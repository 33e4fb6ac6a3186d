import type { Container } from 'inversify'
import {
  ContextCheck,
  DocumentCheck,
  EmbeddingModels,
  Examination,
  FoundationCheck,
  LeftoverCheck,
  Repair,
  StartCheck,
  Sweep,
  SweepInTurn,
  Verify,
  WordRepair,
} from '../ingestion/index.js'
import { FILE_STORE, LEXICAL_INDEX, STORAGE, TELEMETRY, VECTOR_INDEX } from './tokens.js'

/** Binds what compares rows, vectors, words and files. */
export function bindVerify(container: Container): void {
  container
    .bind(FoundationCheck)
    .toResolvedValue((storage, models) => new FoundationCheck(storage, models), [STORAGE, EmbeddingModels])
  container
    .bind(DocumentCheck)
    .toResolvedValue((storage, files) => new DocumentCheck(storage, files), [STORAGE, FILE_STORE])
  container
    .bind(ContextCheck)
    .toResolvedValue(
      (storage, index, words, models, documents) => new ContextCheck(storage, index, words, models, documents),
      [STORAGE, VECTOR_INDEX, LEXICAL_INDEX, EmbeddingModels, DocumentCheck],
    )
  container
    .bind(LeftoverCheck)
    .toResolvedValue((storage, files) => new LeftoverCheck(storage, files), [STORAGE, FILE_STORE])
  container
    .bind(Examination)
    .toResolvedValue(
      (foundation, contexts, leftovers) => new Examination(foundation, contexts, leftovers),
      [FoundationCheck, ContextCheck, LeftoverCheck],
    )
  container
    .bind(WordRepair)
    .toResolvedValue((storage, words) => new WordRepair(storage, words), [STORAGE, LEXICAL_INDEX])
  container
    .bind(Repair)
    .toResolvedValue(
      (storage, files, index, words, sweep) => new Repair(storage, files, index, words, sweep),
      [STORAGE, FILE_STORE, VECTOR_INDEX, WordRepair, Sweep],
    )
  container
    .bind(Verify)
    .toResolvedValue((examination, repair) => new Verify(examination, repair), [Examination, Repair])
  container
    .bind(StartCheck)
    .toResolvedValue((examination, telemetry) => new StartCheck(examination, telemetry), [Examination, TELEMETRY])
  container
    .bind(SweepInTurn)
    .toResolvedValue(
      (storage, sweep, startCheck) => new SweepInTurn(storage, sweep, startCheck),
      [STORAGE, Sweep, StartCheck],
    )
}
