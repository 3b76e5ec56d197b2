/** Preact sets `translate` in the browser alone, and takes this spelling of the same attribute as it is. */
const untranslated = { Translate: 'no' }

/**
 * People compare addresses by their ends and in small groups. The gaps are margins, so that a selection copies the plain address. Screen
 * readers have it in one piece, which they read character by character on request.
 */
export const Address = ({ value, hash, id }: { value: string; hash?: boolean; id?: string }) => {
  const prefix = /^0x/i.test(value) ? value.slice(0, 2) : ''
  const groups = value.slice(prefix.length).match(/.{1,4}/gs) ?? []
  const row = hash ? 4 : Math.ceil(groups.length / Math.ceil(groups.length / 5))
  return (
    <span class={`addr${hash ? ' hash' : ''}${prefix ? '' : ' bare'}`} dir="ltr" role="img" aria-label={value} id={id} {...untranslated}>
      {groups.map(
        (_, at) =>
          at % row === 0 && (
            <span aria-hidden="true">
              {at === 0 && prefix && <b>{prefix}</b>}
              {groups.slice(at, at + row).map((group, next) => {
                const place = at + next
                // The last group may be short, and then the one before it has a part of the last four characters.
                const Tag = place === 0 || (place + 2) * 4 > value.length ? 'b' : 'i'
                return <Tag>{group}</Tag>
              })}
            </span>
          ),
      )}
    </span>
  )
}
