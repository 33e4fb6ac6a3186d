import { useMutation } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { AlcoveApiError, dataOf, useApi } from '../api/api.js'
import { LanguageChoice } from '../texts/language-provider.js'
import { phrases, useTexts } from '../texts/phrases.js'
import { Button } from '../ui/buttons.js'
import { TextField } from '../ui/form/fields.js'
import { Form } from '../ui/form/form.js'
import { ErrorNote, Note } from '../ui/notes.js'
import { Tabs } from '../ui/tabs.js'
import { ForgottenPassword } from './forgotten-password.js'
import { LOST_UPLOADS_TEXTS } from './login-end.js'
import type { Login } from './use-login.js'
import type { EndedLogin } from './use-login-state.js'

const TEXTS = phrases({
  en: {
    title: 'Sign in to Alcove',
    ended: {
      'ended-password':
        'You are signed out: your session has ended, your password was changed, or your user was disabled. Sign in again to go on.',
      'ended-key':
        'You are signed out: your session has ended, or the API key was revoked, has expired or belongs to a disabled user. Sign in again to go on.',
      'ended-host': 'You are signed out: your session has ended. Sign in again to go on.',
    },
    byPassword: 'E-mail and password',
    byKey: 'API key',
    email: 'E-mail address',
    password: 'Password',
    otp: 'One-time code',
    otpHint: 'The six digits of your app, or a recovery code.',
    company: 'Number of your company',
    companyHint: 'Several companies know this address. The invitation says the number.',
    companyWrong: 'Give the number of the company in digits, such as 12.',
    clientId: 'Client id',
    clientIdHint: 'Begins with ak_. "alcove init" prints it, and "alcove key create" makes more.',
    clientSecret: 'Client secret',
    signIn: 'Sign in',
    wrong: 'The e-mail address or the password is wrong, or the user is disabled.',
    wrongCode:
      'The one-time code is wrong, has expired or was used before. Wait for the next code of your app. Check e-mail address and password too, if you changed them.',
    wrongKey: 'The client id or the secret is wrong, or the key is revoked or has expired.',
    noCookie:
      'You gave the right data, but the browser did not keep the login. If the address of the server begins with https, open the console by that address. Otherwise, allow cookies for this page.',
    help: 'No password yet? Use the link in your invitation, or sign in with an API key.',
  },
  de: {
    title: 'Bei Alcove anmelden',
    ended: {
      'ended-password':
        'Du bist abgemeldet: Die Sitzung ist zu Ende, dein Passwort wurde geändert, oder dein Benutzer wurde deaktiviert. Melde dich noch einmal an.',
      'ended-key':
        'Du bist abgemeldet: Die Sitzung ist zu Ende, oder der API-Schlüssel wurde widerrufen, ist abgelaufen oder gehört einem deaktivierten Benutzer. Melde dich noch einmal an.',
      'ended-host': 'Du bist abgemeldet: Die Sitzung ist zu Ende. Melde dich noch einmal an.',
    },
    byPassword: 'E-Mail und Passwort',
    byKey: 'API-Schlüssel',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    otp: 'Einmalcode',
    otpHint: 'Die sechs Ziffern deiner App oder ein Wiederherstellungscode.',
    company: 'Nummer deiner Firma',
    companyHint: 'Mehrere Firmen kennen diese Adresse. Die Nummer steht in der Einladung.',
    companyWrong: 'Gib die Nummer der Firma in Ziffern an, zum Beispiel 12.',
    clientId: 'Client-ID',
    clientIdHint: 'Beginnt mit ak_. „alcove init“ gibt sie aus, „alcove key create“ erstellt weitere.',
    clientSecret: 'Client-Secret',
    signIn: 'Anmelden',
    wrong: 'Die E-Mail-Adresse oder das Passwort ist falsch, oder der Benutzer ist deaktiviert.',
    wrongCode:
      'Der Einmalcode ist falsch, abgelaufen oder schon benutzt. Warte auf den nächsten Code deiner App. Prüfe auch E-Mail-Adresse und Passwort, wenn du sie geändert hast.',
    wrongKey: 'Die Client-ID oder das Secret ist falsch, oder der Schlüssel ist widerrufen oder abgelaufen.',
    noCookie:
      'Die Angaben stimmen, aber der Browser hat die Anmeldung nicht behalten. Wenn die Adresse des Servers mit https beginnt, öffne die Konsole unter dieser Adresse. Erlaube sonst Cookies für diese Seite.',
    help: 'Noch kein Passwort? Nimm den Link in deiner Einladung oder melde dich mit einem API-Schlüssel an.',
  },
})

interface LoginPageProps {
  /** The login of the page, if it had one that has ended. */
  readonly ended: EndedLogin | undefined
  /** Files that were not sent when it ended. */
  readonly lostUploads: number
  readonly onLogin: (login: Login) => void
}

export function LoginPage({ ended, lostUploads, onLogin }: LoginPageProps): ReactElement {
  const texts = useTexts(TEXTS)
  const lostText = useTexts(LOST_UPLOADS_TEXTS)
  return (
    <main className="login">
      <h1>{texts.title}</h1>
      {ended !== undefined && (
        <Note kind="warning">
          <p>{texts.ended[ended]}</p>
          {lostUploads > 0 && <p>{lostText(lostUploads)}</p>}
        </Note>
      )}
      <Tabs
        label={texts.title}
        tabs={[
          { id: 'password', title: texts.byPassword, content: <PasswordForm onLogin={onLogin} /> },
          { id: 'key', title: texts.byKey, content: <KeyForm onLogin={onLogin} /> },
        ]}
      />
      <p className="hint">{texts.help}</p>
      <LanguageChoice />
    </main>
  )
}

function PasswordForm({ onLogin }: Pick<LoginPageProps, 'onLogin'>): ReactElement {
  const texts = useTexts(TEXTS)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [otp, setOtp] = useState('')
  const [company, setCompany] = useState('')
  const logIn = useLogIn(onLogin)
  const code = logIn.error instanceof AlcoveApiError ? logIn.error.code : undefined
  const [needsOtp, needsCompany] = [
    code === 'ERR_OTP_REQUIRED' || otp !== '',
    code === 'ERR_COMPANY_REQUIRED' || company !== '',
  ]
  const isCompanyWrong = needsCompany && company !== '' && !/^\s*[1-9]\d{0,14}\s*$/.test(company)
  const submit = (): void => {
    if (isCompanyWrong) return
    logIn.mutate({
      email,
      password,
      ...(otp !== '' && { otp }),
      ...(company !== '' && { customerId: Number(company) }),
    })
  }
  return (
    <Form onSubmit={submit}>
      <TextField
        label={texts.email}
        type="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        isRequired
      />
      <TextField
        label={texts.password}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
      />
      {needsCompany && (
        <TextField
          label={texts.company}
          hint={texts.companyHint}
          inputMode="numeric"
          value={company}
          onChange={setCompany}
          error={isCompanyWrong ? texts.companyWrong : undefined}
          isRequired
        />
      )}
      {needsOtp && (
        <TextField
          label={texts.otp}
          hint={texts.otpHint}
          autoComplete="one-time-code"
          value={otp}
          onChange={setOtp}
          isRequired
          autoFocus
        />
      )}
      <LoginError
        error={logIn.error}
        wrong={logIn.variables !== undefined && 'otp' in logIn.variables ? texts.wrongCode : texts.wrong}
      />
      <Button type="submit" kind="primary" isPending={logIn.isPending}>
        {texts.signIn}
      </Button>
      <ForgottenPassword email={email} />
    </Form>
  )
}

function KeyForm({ onLogin }: Pick<LoginPageProps, 'onLogin'>): ReactElement {
  const texts = useTexts(TEXTS)
  const [clientId, setClientId] = useState('')
  const [clientSecret, setClientSecret] = useState('')
  const logIn = useLogIn(onLogin)
  const submit = (): void => {
    logIn.mutate({ clientId: clientId.trim(), clientSecret: clientSecret.trim() })
  }
  return (
    <Form onSubmit={submit}>
      <TextField
        label={texts.clientId}
        hint={texts.clientIdHint}
        autoComplete="username"
        value={clientId}
        onChange={setClientId}
        isRequired
      />
      <TextField
        label={texts.clientSecret}
        type="password"
        autoComplete="current-password"
        value={clientSecret}
        onChange={setClientSecret}
        isRequired
      />
      <LoginError error={logIn.error} wrong={texts.wrongKey} />
      <Button type="submit" kind="primary" isPending={logIn.isPending}>
        {texts.signIn}
      </Button>
    </Form>
  )
}

/** The server's sentences, but for wrong credentials: those have the words of the form. */
function LoginError({ error, wrong }: { readonly error: unknown; readonly wrong: string }): ReactElement | null {
  const { noCookie } = useTexts(TEXTS)
  const code = error instanceof AlcoveApiError ? error.code : undefined
  if (code === 'ERR_OTP_REQUIRED') return null
  const isOfForm = code === 'ERR_UNAUTHENTICATED' || error instanceof CookieMissingError
  if (!isOfForm) return <ErrorNote error={error} />
  return (
    <p role="alert" className="note note-error">
      {code === undefined ? noCookie : wrong}
    </p>
  )
}

type Credentials =
  | { readonly email: string; readonly password: string; readonly otp?: string; readonly customerId?: number }
  | { readonly clientId: string; readonly clientSecret: string }

/** The server let the user in, and the next request came without the cookie. */
class CookieMissingError extends Error {
  override readonly name = 'CookieMissingError'
}

function useLogIn(onLogin: (login: Login) => void) {
  const api = useApi()
  return useMutation({
    mutationFn: async (credentials: Credentials) => {
      await dataOf(api.POST('/auth/login', { body: credentials }))
      // A browser refuses the cookie of a server whose public address is https to a page without it.
      try {
        return await dataOf(api.GET('/auth/login'))
      } catch (error) {
        const isLost = error instanceof AlcoveApiError && error.status === 401
        throw isLost ? new CookieMissingError('the browser did not send the cookie', { cause: error }) : error
      }
    },
    onSuccess: onLogin,
  })
}
