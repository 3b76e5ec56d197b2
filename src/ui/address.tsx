/**
 * A whole address or hash in groups of four, its ends emphasised: this is what people compare. Groups are elements
 * with margins, so that a selection copies without spaces.
 */
export const Address = ({ value, hash, id }: { value: string; hash?: boolean; id?: string }) => {
  const prefix = /^0x/i.test(value) ? value.slice(0, 2) : ''
  const groups = value.slice(prefix.length).match(/.{1,4}/gs) ?? []
  return (
    <span class={`addr${hash ? ' hash' : ''}${prefix ? '' : ' bare'}`} dir="ltr" translate={false} id={id}>
      {prefix && <b>{prefix}</b>}
      {groups.map((group, at) => {
        const Tag = at === 0 || at === groups.length - 1 ? 'b' : 'i'
        return [at > 0 && <wbr />, <Tag>{group}</Tag>]
      })}
    </span>
  )
}
