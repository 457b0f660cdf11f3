package io.headwater.connect;

final class Version {
    static final String NUMBER = "1";

    private Version() {}
}
