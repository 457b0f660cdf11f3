package io.headwater.connect.connectors;

/** The version that the connectors report to Connect. */
public final class Version {
    public static final String NUMBER = "1";

    private Version() {}
}
