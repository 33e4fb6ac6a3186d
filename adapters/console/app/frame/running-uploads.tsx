import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { useLogin } from '../login/use-login.js'
import { phrases, plural, useTexts } from '../texts/phrases.js'
import { Store, useStore } from '../ui/store.js'

const TEXTS = phrases({
  en: {
    running: 'Files are being uploaded.',
    open: (files: number) => `Uploading ${plural.en(files, '1 file', `${files} files`)}: to their GPT`,
    elsewhere: (files: number) => `Uploading ${plural.en(files, '1 file', `${files} files`)} for another account`,
  },
  de: {
    running: 'Dateien werden hochgeladen.',
    open: (files) => `${plural.de(files, '1 Datei wird', `${files} Dateien werden`)} hochgeladen: zum GPT`,
    elsewhere: (files) =>
      `${plural.de(files, '1 Datei wird', `${files} Dateien werden`)} für ein anderes Konto hochgeladen`,
  },
})

interface RunningUploads {
  readonly accountId: number | undefined
  readonly contextId: number
  /** Files that are not sent yet. */
  readonly files: number
}

const running = new Store<readonly RunningUploads[]>([])

/** Tells the header the uploads of a context. */
export function reportUploads({ accountId, contextId, files }: RunningUploads): void {
  const before = running.get()
  const isSame = (each: RunningUploads): boolean => each.accountId === accountId && each.contextId === contextId
  const known = before.find(isSame)
  if ((known?.files ?? 0) === files) return
  const reported = { accountId, contextId, files }
  const after = known === undefined ? [...before, reported] : before.map((each) => (each === known ? reported : each))
  running.set(after.filter((each) => each.files > 0))
}

/** The uploads that run, on each page: with a link to their GPT. */
export function RunningUploadsNote(): ReactElement {
  const texts = useTexts(TEXTS)
  const { account } = useLogin()
  const uploads = useStore(running)
  return (
    <>
      {/* Only the beginning is said: the count changes all the time. */}
      <span role="status" className="visually-hidden">
        {uploads.length > 0 && texts.running}
      </span>
      {uploads.map(({ accountId, contextId, files }) => {
        const content = (text: string): ReactElement => (
          <>
            <span aria-hidden="true">↑</span> {text}
          </>
        )
        const key = `${accountId} ${contextId}`
        return accountId === account?.id ? (
          <Link key={key} href={`/gpts/${contextId}/documents`} className="frame-uploads">
            {content(texts.open(files))}
          </Link>
        ) : (
          <span key={key} className="frame-uploads">
            {content(texts.elsewhere(files))}
          </span>
        )
      })}
    </>
  )
}
