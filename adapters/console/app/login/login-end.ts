import { phrases, plural } from '../texts/phrases.js'
import { clearToasts } from '../ui/toasts.js'

/**
 * `sign-out`: the user signs out, and the login still works. `ended`: the server no longer knows the login, or another
 * user has signed in. A request would then fail, or act for the other user.
 */
export type LoginEndReason = 'sign-out' | 'ended'

type LoginEndListener = (reason: LoginEndReason) => unknown

/** Work that a sign-out ends. */
export interface OpenWork {
  /** Files that are not sent yet. The sign-out cancels them. */
  readonly uploads: number
  /** Deleted documents that the user can still restore. The sign-out deletes them for good. */
  readonly deletions: number
}

const listeners = new Set<LoginEndListener>()
const counters = new Set<() => OpenWork>()

/**
 * Calls a function when the login of the page ends, so that no work goes on in the next login.
 *
 * @param listener before a sign-out, its promise is awaited, and its error does not keep the user signed in
 * @returns a function that removes the listener
 */
export function onLoginEnd(listener: LoginEndListener): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Asks a function for its open work before a sign-out. @returns a function that ends this */
export function onOpenWork(counter: () => OpenWork): () => void {
  counters.add(counter)
  return () => {
    counters.delete(counter)
  }
}

/** All work that a sign-out would end now. */
export function openWork(): OpenWork {
  const counted = [...counters].map((counter) => counter())
  return {
    uploads: counted.reduce((sum, { uploads }) => sum + uploads, 0),
    deletions: counted.reduce((sum, { deletions }) => sum + deletions, 0),
  }
}

/** Ends the work of the login. Call it before the sign-out is sent. It never rejects. */
export async function finishWork(): Promise<void> {
  await notify('sign-out')
  clearToasts()
}

/** Ends the work of a login that is gone already. */
export function dropWork(): void {
  void notify('ended')
  clearToasts()
}

/** Each listener runs up to its first wait at once. */
async function notify(reason: LoginEndReason): Promise<void> {
  await Promise.allSettled([...listeners].map(async (listener) => await listener(reason)))
}

/** The notice of uploads that the end of a login has cancelled, such as by a sign-out in another tab. */
export const LOST_UPLOADS_TEXTS = phrases({
  en: (count: number) =>
    plural.en(
      count,
      'One file was not sent yet, and its upload is cancelled. Upload it again.',
      `${count} files were not sent yet, and their uploads are cancelled. Upload them again.`,
    ),
  de: (count) =>
    plural.de(
      count,
      'Eine Datei war noch nicht gesendet, und ihr Upload ist abgebrochen. Lade sie noch einmal hoch.',
      `${count} Dateien waren noch nicht gesendet, und ihre Uploads sind abgebrochen. Lade sie noch einmal hoch.`,
    ),
})
