// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Tests use this token, which keeps a tenth of every transfer. It can be told to answer balanceOf with 120,000 bytes of revert data.
contract TestTaxToken {
    mapping(address => uint256) public balances;
    mapping(address => mapping(address => uint256)) public allowance;
    bool public isLoud;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function mint(address to, uint256 value) external {
        balances[to] += value;
        emit Transfer(address(0), to, value);
    }

    function setLoud(bool isLoud_) external {
        isLoud = isLoud_;
    }

    function balanceOf(address account) external view returns (uint256) {
        if (isLoud) {
            assembly {
                revert(0, 120000)
            }
        }
        return balances[account];
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) private {
        balances[from] -= value;
        balances[to] += value - value / 10;
        emit Transfer(from, to, value - value / 10);
    }
}
