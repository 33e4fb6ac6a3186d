import { clearToasts } from '../ui/toasts.js'

/**
 * `sign-out`: the user signs out, and the login still works. `ended`: the server no longer knows the login, or another
 * user has signed in. A request would then fail, or act for the other user.
 */
export type LoginEndReason = 'sign-out' | 'ended'

export type LoginEndListener = (reason: LoginEndReason) => unknown

const listeners = new Set<LoginEndListener>()

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
