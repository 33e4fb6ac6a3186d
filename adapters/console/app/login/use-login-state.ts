import { useCallback, useEffect, useRef, useState } from 'react'
import { AlcoveApiError, createApi, dataOf } from '../api/api.js'
import { onRefusal } from '../api/refusals.js'
import { dropWork, finishWork, openWork } from './login-end.js'
import type { Login } from './use-login.js'

/** A login that has ended, by its kind. */
export type EndedLogin = `ended-${Login['kind']}`

/** The page's knowledge of its login: nothing yet, none, one that has ended, or one. */
export type LoginState = 'unknown' | 'none' | EndedLogin | Login

interface LoginKeeper {
  readonly state: LoginState
  /** Files that were not sent when the login ended without a sign-out on this page. */
  readonly lostUploads: number
  /** Notes that the user was told of them. */
  readonly forgetUploads: () => void
  /** Notes a sign-in, or that there is no login. */
  readonly setState: (state: Login | 'none') => void
  /** @throws AlcoveApiError, AlcoveClientError if the server does not end the login */
  readonly logOut: () => Promise<void>
}

/** All tabs of a browser share the cookie of one login. */
const CHANNEL = 'alcove.login'
/** Shortest time between two questions for the login, by their reason. */
const GAPS_MS = { 401: 1_000, 403: 5_000, focus: 1_000, tab: 0 } as const

/**
 * Keeps the login of the page. It asks for the login again when somebody returns to the page, signs in or out in another
 * tab, and after each refusal. Rights change, and the cookie may be another user's by then.
 */
export function useLoginState(): LoginKeeper {
  const [state, setState] = useState<LoginState>('unknown')
  const [lostUploads, setLostUploads] = useState(0)
  const present = useRef(state)
  const change = useCallback((next: LoginState) => {
    present.current = next
    setState(next)
  }, [])
  const tell = useRef<() => void>(() => undefined)

  useEffect(() => {
    const check = async (): Promise<void> => {
      const before = present.current
      const next = nextState(before, await askForLogin())
      if (present.current !== before || next === before) return
      if (!isSameHolder(before, next)) {
        const { uploads } = openWork()
        if (uploads > 0) setLostUploads(uploads)
        dropWork()
      }
      change(next)
    }
    const checks = new Checks(check)
    // Without a login, somebody may be typing a password.
    const askIfSignedIn = (gapMs: number): void => {
      if (typeof present.current === 'object') checks.ask(gapMs)
    }
    const endRefusals = onRefusal((refusal) => askIfSignedIn(GAPS_MS[refusal]))
    const onFocus = (): void => {
      if (document.visibilityState === 'visible') askIfSignedIn(GAPS_MS.focus)
    }
    const channel = new BroadcastChannel(CHANNEL)
    channel.addEventListener('message', () => checks.ask(GAPS_MS.tab))
    tell.current = () => channel.postMessage('changed')
    window.addEventListener('focus', onFocus)
    window.addEventListener('visibilitychange', onFocus)
    return () => {
      checks.stop()
      endRefusals()
      channel.close()
      window.removeEventListener('focus', onFocus)
      window.removeEventListener('visibilitychange', onFocus)
    }
  }, [change])

  const noteSignIn = useCallback(
    (next: Login | 'none') => {
      const isSignIn = present.current !== 'unknown'
      change(next)
      // The page of the sign-in has told of them.
      setLostUploads(0)
      if (isSignIn) tell.current()
    },
    [change],
  )
  const logOut = useCallback(async () => {
    await finishWork()
    await dataOf(createApi().DELETE('/auth/login'))
    change('none')
    tell.current()
  }, [change])
  const forgetUploads = useCallback(() => setLostUploads(0), [])
  return { state, lostUploads, forgetUploads, setState: noteSignIn, logOut }
}

/** Two states of one login have the same holder: a user, or an API key of the user. */
export function holderOf(state: LoginState): string {
  return typeof state === 'object' ? `${state.user.id} ${state.clientId ?? ''}` : 'none'
}

function isSameHolder(one: LoginState, other: LoginState): boolean {
  return holderOf(one) === holderOf(other)
}

/** @returns `none` if the server knows no login; undefined if it gives no answer about one */
async function askForLogin(): Promise<Login | 'none' | undefined> {
  try {
    return await dataOf(createApi().GET('/auth/login'))
  } catch (error) {
    return error instanceof AlcoveApiError && error.status === 401 ? 'none' : undefined
  }
}

function nextState(before: LoginState, found: Login | 'none' | undefined): LoginState {
  if (before === 'unknown' || found === undefined) return before
  if (found === 'none') return typeof before === 'object' ? `ended-${before.kind}` : before
  // The same object draws nothing again.
  return JSON.stringify(before) === JSON.stringify(found) ? before : found
}

/** Asks at most once in a time: a question within the gap after another one waits for the end of the gap. */
class Checks {
  #waiting: ReturnType<typeof setTimeout> | undefined
  #dueMs = Number.POSITIVE_INFINITY
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(private readonly check: () => Promise<void>) {}

  ask(gapMs: number): void {
    const dueMs = Math.max(Date.now(), this.#lastMs + gapMs)
    if (dueMs >= this.#dueMs) return
    this.stop()
    this.#dueMs = dueMs
    this.#waiting = setTimeout(() => {
      this.#dueMs = Number.POSITIVE_INFINITY
      this.#lastMs = Date.now()
      void this.check()
    }, dueMs - Date.now())
  }

  stop(): void {
    clearTimeout(this.#waiting)
    this.#dueMs = Number.POSITIVE_INFINITY
  }
}
