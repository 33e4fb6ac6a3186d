import type { Session } from '../../src/index.js'

/** Lends the session of one caller. A host whose engine is not always open implements it; others give a session. */
export interface SessionSource {
  /** Runs work that reads contexts and documents. */
  forReading<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** Runs work that searches: it needs the indexes and the model. */
  forSearching<T>(work: (session: Session) => Promise<T>): Promise<T>
}

export function toSessionSource(given: Session | SessionSource): SessionSource {
  if ('forReading' in given) return given
  return {
    forReading: async (work) => await work(given),
    forSearching: async (work) => await work(given),
  }
}
