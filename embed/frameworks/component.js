const types = ['open', 'ready', 'resize', 'method', 'pending', 'partial', 'paid', 'expired', 'failed', 'refunded', 'closed', 'error']
const handlerOf = (type) => `on${type[0].toUpperCase()}${type.slice(1)}`
const ownProps = new Set(['order', 'ref', ...types.map(handlerOf)])

/**
 * React and Preact ask the element whether `order` is a property. When they render before till.js has come, or hydrate what a server has
 * rendered, a function is dropped, and in React so are listeners. So these components set both.
 */
export const components = ({ createElement, useImperativeHandle, useLayoutEffect, useRef }) => {
  const component = (tag) => (props) => {
    const { order, ref } = props
    const element = useRef(null)
    const latest = useRef(props)
    useImperativeHandle(ref, () => element.current)
    useLayoutEffect(() => {
      latest.current = props
      element.current.order = order
    })
    useLayoutEffect(() => {
      const listening = new AbortController()
      for (const type of types)
        element.current.addEventListener(type, (event) => latest.current[handlerOf(type)]?.(event), { signal: listening.signal })
      return () => listening.abort()
    }, [])
    const attributes = Object.fromEntries(Object.entries(props).filter(([name]) => !ownProps.has(name)))
    // A server's page can show an order whose id is known, without waiting for the page's own script.
    return createElement(tag, { ...attributes, ...(typeof order === 'string' && { order }), ref: element })
  }
  return { TillButton: component('till-button'), TillCheckout: component('till-checkout') }
}
