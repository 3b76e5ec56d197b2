// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Depending on its manner, this recipient accepts coin, refuses it, burns all the gas, reverts with 120,000 bytes of data, or burns all
/// the gas except in a simulation, which has no gas price.
contract TestReceiver {
    enum Manner {
        accept,
        refuse,
        burn,
        shout,
        burnWhenSent
    }

    Manner public immutable manner;

    constructor(Manner manner_) {
        manner = manner_;
    }

    fallback() external payable {
        if (manner == Manner.refuse) revert("TestReceiver: no, thank you");
        if (manner == Manner.burn || (manner == Manner.burnWhenSent && tx.gasprice > 0)) while (true) {}
        if (manner == Manner.shout) {
            assembly {
                revert(0, 120000)
            }
        }
    }

    receive() external payable {
        if (manner == Manner.refuse) revert("TestReceiver: no, thank you");
        if (manner == Manner.burn || (manner == Manner.burnWhenSent && tx.gasprice > 0)) while (true) {}
        if (manner == Manner.shout) {
            assembly {
                revert(0, 120000)
            }
        }
    }
}
