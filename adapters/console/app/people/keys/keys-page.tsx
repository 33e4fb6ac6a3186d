import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useRef, useState } from 'react'
import { dataOf, useApi } from '../../api/api.js'
import { useLogin } from '../../login/use-login.js'
import { useTexts } from '../../texts/phrases.js'
import { Button, ButtonLink } from '../../ui/buttons.js'
import { ConfirmDialog } from '../../ui/dialogs.js'
import { EmptyState, Loaded } from '../../ui/notes.js'
import { toast } from '../../ui/toasts.js'
import { PeopleHead } from '../people-head.js'
import { TEXTS } from '../people-texts.js'
import { KeyTable } from './key-table.js'
import { KEY_TEXTS } from './key-texts.js'
import { type ApiKey, useKeys } from './use-keys.js'

/** The API keys of the companies in reach: at `/people/keys`. */
export function KeysPage(): ReactElement {
  const texts = useTexts(KEY_TEXTS)
  const { loadMore } = useTexts(TEXTS)
  const keys = useKeys()
  const [asked, setAsked] = useState<ApiKey>()
  const content = useRef<HTMLDivElement>(null)
  const create = (
    <ButtonLink href="/people/keys/new" kind="primary">
      {texts.create}
    </ButtonLink>
  )
  return (
    <>
      <PeopleHead actions={create} />
      <p>{texts.intro}</p>
      <div ref={content} tabIndex={-1} className="people-focus">
        <Loaded query={keys}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState title={texts.none}>{texts.noneText}</EmptyState>
            ) : (
              <>
                <p className="hint">{texts.noNames}</p>
                <KeyTable keys={all} onRevoke={setAsked} />
              </>
            )
          }
        </Loaded>
      </div>
      {keys.hasNextPage && (
        <div className="actions">
          <Button isPending={keys.isFetching} onPress={() => void keys.fetchNextPage()}>
            {loadMore}
          </Button>
        </div>
      )}
      <RevokeKey
        apiKey={asked}
        onClose={() => setAsked(undefined)}
        onRevoked={() => setTimeout(() => content.current?.focus(), DIALOG_CLOSES_MS)}
      />
    </>
  )
}

const DIALOG_CLOSES_MS = 100

interface RevokeKeyProps {
  readonly apiKey: ApiKey | undefined
  readonly onClose: () => void
  readonly onRevoked: () => void
}

function RevokeKey({ apiKey, onClose, onRevoked }: RevokeKeyProps): ReactElement {
  const texts = useTexts(KEY_TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const { login } = useLogin()
  const revoke = async (): Promise<void> => {
    if (apiKey === undefined) return
    await dataOf(api.DELETE('/tenant/keys/{id}', { params: { path: { id: apiKey.id } } }))
    await queries.invalidateQueries({ queryKey: ['people', 'keys'] })
    toast({ text: texts.revokeDone })
    // The button that opened the dialog is gone.
    onRevoked()
  }
  return (
    <ConfirmDialog
      title={texts.revokeTitle}
      action={texts.revoke}
      isDanger
      isOpen={apiKey !== undefined}
      onClose={onClose}
      onConfirm={revoke}
    >
      <p>{texts.revokeText(apiKey?.clientId ?? '')}</p>
      {apiKey?.clientId === login.clientId && <p>{texts.revokeSelf}</p>}
    </ConfirmDialog>
  )
}
