import { lazy, type ReactElement, Suspense, useEffect, useRef, useState } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { ApiProvider } from './api/api.js'
import { ErrorBoundary } from './frame/error-boundary.js'
import { Frame, SECTIONS } from './frame/frame.js'
import { readStored, store } from './frame/stored.js'
import { FirstLogin } from './login/first-login.js'
import { LOST_UPLOADS_TEXTS } from './login/login-end.js'
import { LoginPage } from './login/login-page.js'
import {
  accountOf,
  canOf,
  type Login,
  type LoginAccount,
  LoginProvider,
  tenantAccountOf,
  useLogin,
} from './login/use-login.js'
import { holderOf, useLoginState } from './login/use-login-state.js'
import { phrases, useTexts } from './texts/phrases.js'
import { EmptyState, Loading } from './ui/notes.js'
import { toast } from './ui/toasts.js'

// Each section is a file of its own, which the page loads when the user opens it.
const Gpts = lazy(async () => await import('./gpts/gpts.js'))
const Search = lazy(async () => await import('./search/search.js'))
const People = lazy(async () => await import('./people/people.js'))
const Webhooks = lazy(async () => await import('./webhooks/webhooks.js'))
const Operate = lazy(async () => await import('./operate/operate.js'))

const TEXTS = phrases({
  en: {
    noRight: 'You have no rights yet',
    noRightText: 'Somebody who manages users must give you a permission on an account. Then come back to this page.',
    unknown: 'There is no such page',
    unknownText: 'The address may be misspelt, or you have no right to see the page. Choose a section above.',
    lost: (company: string, account: string) =>
      `You can no longer use the account ${company}: ${account}. Somebody took the permission away.`,
  },
  de: {
    noRight: 'Du hast noch keine Rechte',
    noRightText:
      'Jemand, der Benutzer verwaltet, muss dir ein Recht auf ein Konto geben. Komm danach auf diese Seite zurück.',
    unknown: 'Diese Seite gibt es nicht',
    unknownText: 'Die Adresse ist falsch geschrieben, oder du darfst die Seite nicht sehen. Wähle oben einen Bereich.',
    lost: (company, account) =>
      `Du kannst das Konto ${company}: ${account} nicht mehr benutzen. Jemand hat dir das Recht entzogen.`,
  },
})

const LOST_SHOWN_MS = 60_000
const STORED_ACCOUNT = 'alcove.account'
const STORED_TENANT_ACCOUNT = 'alcove.tenant-account'

export function App(): ReactElement {
  const { state, lostUploads, forgetUploads, setState, logOut } = useLoginState()
  const [accountId, chooseAccount] = useStoredId(STORED_ACCOUNT)
  const [tenantAccountId, chooseTenantAccount] = useStoredId(STORED_TENANT_ACCOUNT)
  const login = typeof state === 'object' ? state : undefined
  const account = login && accountOf(login, accountId)
  const tenantAccount = login && tenantAccountOf(login, tenantAccountId)
  const can = canOf(account, tenantAccount)
  useLeavingOfOthers(login, account)
  const lostText = useTexts(LOST_UPLOADS_TEXTS)
  useEffect(() => {
    if (login === undefined || lostUploads === 0) return
    // Somebody has signed in again in another tab before this page could say it at its sign-in.
    toast({ text: lostText(lostUploads) }, LOST_SHOWN_MS)
    forgetUploads()
  }, [login, lostUploads, lostText, forgetUploads])
  return (
    <ApiProvider
      // Each login and each account has data of its own.
      key={`${holderOf(state)} ${account?.id ?? ''} ${tenantAccount?.id ?? ''}`}
      accountId={account?.id}
      tenantAccountId={tenantAccount?.id}
    >
      {login !== undefined ? (
        <LoginProvider current={{ login, account, chooseAccount, tenantAccount, chooseTenantAccount, logOut, can }}>
          <Sections />
        </LoginProvider>
      ) : state === 'unknown' ? (
        <FirstLogin onLogin={setState} logOut={logOut} />
      ) : (
        <LoginPage
          ended={typeof state === 'string' && state !== 'none' ? state : undefined}
          lostUploads={lostUploads}
          onLogin={setState}
        />
      )}
    </ApiProvider>
  )
}

/** Leaves the pages of another user, and those of an account that the user has lost. */
function useLeavingOfOthers(login: Login | undefined, account: LoginAccount | undefined): void {
  const texts = useTexts(TEXTS)
  const [, navigate] = useLocation()
  const last = useRef<{ readonly holder: string; readonly account: LoginAccount | undefined }>(undefined)
  useEffect(() => {
    if (login === undefined) return
    const before = last.current
    const holder = holderOf(login)
    last.current = { holder, account }
    if (before === undefined) return
    const lost = login.accounts.some(({ id }) => id === before.account?.id) ? undefined : before.account
    if (before.holder === holder && lost === undefined) return
    navigate('/', { replace: true })
    if (before.holder === holder && lost !== undefined) toast({ text: texts.lost(lost.customerName, lost.name) })
  })
}

/** An id that the browser keeps for the next time. */
function useStoredId(name: string): readonly [id: number | undefined, choose: (id: number) => void] {
  const [id, setId] = useState(() => {
    const text = readStored(name)
    return text === undefined ? undefined : Number(text)
  })
  const choose = (chosen: number): void => {
    store(name, String(chosen))
    setId(chosen)
  }
  return [id, choose]
}

function Sections(): ReactElement {
  const [path] = useLocation()
  const texts = useTexts(TEXTS)
  const { can } = useLogin()
  const first = SECTIONS.find(({ needs }) => can(needs))
  return (
    <Frame>
      {first === undefined ? (
        <EmptyState title={texts.noRight}>{texts.noRightText}</EmptyState>
      ) : (
        <ErrorBoundary key={path.split('/')[1] ?? ''}>
          <Suspense fallback={<Loading />}>
            <Switch>
              <Route path="/">
                <Redirect to={`/${first.name}`} replace />
              </Route>
              {can('context:read') && <Route path="/gpts/*?" component={Gpts} />}
              {can('search') && <Route path="/search" component={Search} />}
              {can('tenant:manage') && <Route path="/people/*?" component={People} />}
              {can('webhook:manage') && <Route path="/webhooks/*?" component={Webhooks} />}
              {can('tenant:manage') && <Route path="/operate/*?" component={Operate} />}
              <Route>
                <EmptyState title={texts.unknown}>{texts.unknownText}</EmptyState>
              </Route>
            </Switch>
          </Suspense>
        </ErrorBoundary>
      )}
    </Frame>
  )
}
