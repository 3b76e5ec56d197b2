import { defineComponent, h, onMounted, shallowRef, watch } from 'vue'

/** Vue decides by the element's class whether `order` is a property. Before till.js has come a function would be written into an attribute. */
const component = (name, tag) =>
  defineComponent({
    name,
    props: { order: [String, Function] },
    setup(props, { slots }) {
      const element = shallowRef(null)
      onMounted(() => {
        watch(
          () => props.order,
          (order) => (element.value.order = order),
          { immediate: true },
        )
      })
      // A server's page shows an order that is known at once, without waiting for the script of the page.
      return () => h(tag, { ref: element, ...(typeof props.order === 'string' && { order: props.order }) }, slots.default?.())
    },
  })

export const TillButton = component('TillButton', 'till-button')
export const TillCheckout = component('TillCheckout', 'till-checkout')
