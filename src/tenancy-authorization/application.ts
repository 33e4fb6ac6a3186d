/** An application to whose accounts permissions give access. */
export interface Application {
  /** Stable; the value of an option item. */
  readonly id: number
  readonly key: string
  readonly name: string
}

/** The applications, as every installation has them. */
export const APPLICATIONS: readonly Application[] = [
  { id: 1, key: 'assistant', name: 'Assistant' },
  { id: 2, key: 'tenant', name: 'Tenant' },
  { id: 3, key: 'builder', name: 'Builder' },
]

/** Keys of the applications. */
export const APPLICATION_KEYS: readonly string[] = APPLICATIONS.map(({ key }) => key)

/** The region of accounts that come with a company. */
export const DEFAULT_REGION = 'local'
