import { type ReactElement, useEffect, useState } from 'react'
import { useTexts } from '../../texts/phrases.js'
import { ErrorNote } from '../../ui/notes.js'
import { ListChoice } from '../company-choice.js'
import { TEXTS } from '../people-texts.js'
import { isServiceUser, matches, type User, useUserName, useUsers } from '../use-users.js'

interface UserChoiceProps {
  readonly label: string
  readonly companyId: number
  readonly value: number | undefined
  readonly onChange: (user: User) => void
  /** A user that is no choice. */
  readonly without?: number
}

const MAX_SHOWN = 20

/** Chooses a user of a company. It reads further pages until enough users match. */
export function UserChoice({ label, companyId, value, onChange, without }: UserChoiceProps): ReactElement {
  const texts = useTexts(TEXTS)
  const nameOf = useUserName()
  const [text, setText] = useState('')
  const { data = [], error, refetch, hasNextPage, isFetching, fetchNextPage } = useUsers(companyId)
  const found = data.filter((user) => user.id !== without && (matches(user, text) || user.id === value))
  const needsMore = hasNextPage && !isFetching && error === null && found.length <= MAX_SHOWN
  useEffect(() => {
    if (needsMore) void fetchNextPage()
  }, [needsMore, fetchNextPage])
  return (
    <>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      <ListChoice
        label={label}
        findLabel={texts.chooseUser}
        text={text}
        onText={setText}
        items={found.slice(0, MAX_SHOWN).map((user) => ({
          id: user.id,
          name: nameOf(user),
          hint: isServiceUser(user) ? user.name : user.email,
        }))}
        value={value}
        isRequired
        onChange={(id) => {
          const user = data.find((each) => each.id === id)
          if (user !== undefined) onChange(user)
        }}
        empty={isFetching ? texts.loading : texts.noSuchUser}
        note={found.length > MAX_SHOWN ? texts.moreMatches : undefined}
      />
    </>
  )
}
